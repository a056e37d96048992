import { isUtf8 } from "node:buffer";

/** A longer line goes on in the next record. */
export const mostLineBytes = 64 * 1024;

/** Cuts a child's output into lines. */
export type LineCutter = {
  /** Emits each complete line, without its end. */
  readonly feed: (bytes: Buffer, atMs: number) => void;
  /** The line that has not ended yet, and when it began. */
  readonly rest: () => UnendedLine;
  /**
   * Emits what an incomplete line has so far: all of it, or up to its last carriage return, where a progress bar
   * starts again.
   */
  readonly show: (what: "all" | "progress") => void;
  /** Ends the output. */
  readonly end: () => void;
};

export type UnendedLine = { readonly bytes: Buffer; readonly atMs: number };

export type Line = (text: Buffer, atMs: number, isContinued: boolean) => void;

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);

/** Cuts bytes into lines of valid UTF-8 with at most `mostLineBytes`; invalid bytes become U+FFFD. */
export function makeLineCutter(line: Line, resume?: UnendedLine): LineCutter {
  let held: Buffer[] = resume === undefined || resume.bytes.length === 0 ? [] : [resume.bytes];
  let heldBytes = resume?.bytes.length ?? 0;
  let heldAtMs = resume?.atMs ?? 0;
  let fedAtMs = resume?.atMs ?? 0;

  function feed(bytes: Buffer, atMs: number): void {
    if (bytes.length === 0) return;
    fedAtMs = atMs;
    let from = 0;
    const isValid = isUtf8(bytes); // then each line of it is valid, too
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      const isAlone = heldBytes === 0;
      const facts = { atMs: isAlone ? atMs : heldAtMs, isContinued: false };
      const whole = takeHeld(bytes.subarray(from, end));
      tell(line, { bytes: whole, ...facts, isValid: isAlone && isValid });
      from = end + 1;
    }
    hold(bytes.subarray(from), atMs);
  }

  function hold(bytes: Buffer, atMs: number): void {
    if (bytes.length === 0) return;
    if (heldBytes === 0) heldAtMs = atMs;
    held.push(Buffer.from(bytes)); // a copy, because a slice would keep the whole chunk in memory
    heldBytes += bytes.length;
    if (heldBytes <= mostLineBytes) return;
    const whole = takeHeld();
    const kept = tellPieces(line, whole, atMs);
    hold(whole.subarray(kept), atMs);
  }

  function takeHeld(last: Buffer = nothing): Buffer {
    if (heldBytes === 0) return last;
    const whole = Buffer.concat([...held, last]);
    held = [];
    heldBytes = 0;
    return whole;
  }

  return {
    feed,
    rest: () => ({ bytes: joined(held), atMs: heldAtMs }),
    show(what) {
      if (heldBytes === 0) return;
      const whole = takeHeld();
      const upto = shownOf(whole, what);
      if (upto > 0)
        tell(line, { bytes: whole.subarray(0, upto), atMs: heldAtMs, isContinued: true });
      hold(whole.subarray(upto), upto > 0 ? fedAtMs : heldAtMs);
    },
    end() {
      if (heldBytes > 0) tell(line, { bytes: takeHeld(), atMs: heldAtMs, isContinued: false });
    },
  };
}

const joined = (parts: readonly Buffer[]): Buffer =>
  parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts);

/** The most of an incomplete line that is shown. */
function shownOf(bytes: Buffer, what: "all" | "progress"): number {
  return what === "all" ? endOfCharacters(bytes) : bytes.lastIndexOf(carriageReturn, -2) + 1;
}

type LinePart = {
  readonly bytes: Buffer;
  readonly atMs: number;
  readonly isContinued: boolean;
  /** Known to be UTF-8. */
  readonly isValid?: boolean;
};

function tell(line: Line, { bytes, atMs, isContinued, isValid = false }: LinePart): void {
  const isCrLf = !isContinued && bytes[bytes.length - 1] === carriageReturn;
  const whole = isCrLf ? bytes.subarray(0, -1) : bytes;
  if (isValid && whole.length <= mostLineBytes) return line(whole, atMs, isContinued);
  const last = whole.subarray(tellPieces(line, whole, atMs));
  tellValid(line, { bytes: last, atMs, isContinued });
}

/** Emits all pieces but the last, which ends the line or is incomplete; returns where that begins. */
function tellPieces(line: Line, bytes: Buffer, atMs: number): number {
  let from = 0;
  while (bytes.length - from > mostLineBytes) {
    const end = pieceEnd(bytes, from);
    tellValid(line, { bytes: bytes.subarray(from, end), atMs, isContinued: true });
    from = end;
  }
  return from;
}

function tellValid(line: Line, { bytes, atMs, isContinued }: LinePart): void {
  if (isUtf8(bytes)) return line(bytes, atMs, isContinued);
  const mended = Buffer.from(bytes.toString("utf8"));
  // Invalid bytes take more space once they are replaced.
  const last = mended.subarray(tellPieces(line, mended, atMs));
  line(last, atMs, isContinued);
}

/** Where a piece of a long line ends: at the boundary of a character. */
function pieceEnd(bytes: Buffer, from: number): number {
  let end = from + mostLineBytes;
  for (let back = 0; back < 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80; back++) end--;
  return end;
}

/** The length without an incomplete character at the end. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
