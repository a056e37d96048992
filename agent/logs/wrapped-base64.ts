/** Base64 that spans several lines, with the line ends removed. */
export type Unwrapped = {
  readonly bytes: Buffer;
  /** Where a byte stood. */
  readonly placeOf: (at: number) => number;
  /** It reaches the end of the known bytes: more may follow. */
  readonly isOpen: boolean;
};

/** A shorter line is not continued: words end lines, too. */
const leastWidth = 40;
const members = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\w+/=-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
const [tab, newline, carriageReturn, space, backslash, letterN, letterR] = [
  0x09, 0x0a, 0x0d, 0x20, 0x5c, 0x6e, 0x72,
];

type Piece = { readonly from: number; readonly to: number };

/**
 * Reports all base64 that spans line ends, or may when more bytes come. Line ends may be raw or written as \n in a
 * string, with white space around. `before` bytes of base64 come directly before these.
 */
export function unwrap(
  bytes: Buffer,
  { before, mostBytes }: { readonly before: number; readonly mostBytes: number },
  tell: (unwrapped: Unwrapped) => void,
): void {
  const breakFrom = makeBreakSearch(bytes);
  let doneAt = 0;
  for (let at = breakFrom(0); at <= bytes.length; at = breakFrom(Math.max(at + 1, doneAt))) {
    const to = spaceBefore(bytes, at, doneAt);
    const from = runStart(bytes, to, Math.max(doneAt, to - Math.max(mostBytes, leastWidth)));
    if (to - from + (from === 0 ? before : 0) < leastWidth) continue;
    const pieces = [{ from, to }];
    const end = follow(bytes, pieces);
    const isOpen = end === bytes.length;
    if (pieces.length > 1 || (isOpen && to < end)) tell(joined(bytes, pieces, isOpen));
    doneAt = end;
  }
}

/** How many bytes of base64 come directly before the position, up to the length of a line. */
export function widthBefore(bytes: Buffer, at: number, before: number): number {
  const from = runStart(bytes, at, Math.max(0, at - leastWidth));
  return Math.min(leastWidth, at - from + (from === 0 ? before : 0));
}

/** Finds the next line end, then the end of the bytes, then nothing; for ascending positions. */
function makeBreakSearch(bytes: Buffer): (from: number) => number {
  const { length } = bytes;
  let line = -1;
  let written = -1;
  return (from) => {
    if (from >= length) return from === length ? length : Infinity;
    if (line < from) line = placeOr(bytes.indexOf(newline, from), length);
    while (written < from || (written < length && bytes[written + 1] !== letterN)) {
      written = placeOr(bytes.indexOf(backslash, Math.max(from, written + 1)), length);
    }
    return Math.min(line, written);
  };
}

const placeOr = (found: number, other: number): number => (found === -1 ? other : found);

function spaceBefore(bytes: Buffer, at: number, least: number): number {
  let to = at;
  for (;;) {
    const byte = bytes[to - 1];
    if (to > least && (byte === space || byte === tab || byte === carriageReturn)) to -= 1;
    else if (to > least && byte === backslash && to === bytes.length) to -= 1;
    else if (to - 1 > least && byte === letterR && bytes[to - 2] === backslash) to -= 2;
    else return to;
  }
}

function runStart(bytes: Buffer, to: number, least: number): number {
  let from = to;
  while (from > least && members[bytes[from - 1] ?? 0] === 1) from--;
  return from;
}

/** Adds the lines that continue the first; returns their end, which is the end of the bytes if more may come. */
function follow(bytes: Buffer, pieces: Piece[]): number {
  let at = pieces[0]?.to ?? 0;
  for (;;) {
    const from = afterBreak(bytes, at);
    if (from === undefined || from === bytes.length) return from ?? at;
    let to = from;
    while (to < bytes.length && members[bytes[to] ?? 0] === 1) to++;
    if (to === from) return at;
    pieces.push({ from, to });
    at = to;
    if (to === bytes.length || to - from < leastWidth) return to;
  }
}

/** Where the next line begins; the end of the bytes if more are needed; undefined when no line ends here. */
function afterBreak(bytes: Buffer, from: number): number | undefined {
  let isBroken = false;
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === newline) isBroken = true;
    else if (byte === backslash) {
      const letter = bytes[at + 1];
      if (letter !== undefined && letter !== letterN && letter !== letterR) break;
      isBroken ||= letter === letterN;
      at += 1;
    } else if (byte !== space && byte !== tab && byte !== carriageReturn) break;
  }
  if (at >= bytes.length) return bytes.length;
  return isBroken ? at : undefined;
}

function joined(bytes: Buffer, pieces: readonly Piece[], isOpen: boolean): Unwrapped {
  const ends: number[] = [];
  for (const { from, to } of pieces) ends.push((ends.at(-1) ?? 0) + to - from);
  const placeOf = (at: number): number => {
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return (pieces[low]?.to ?? 0) - ((ends[low] ?? 0) - at);
  };
  const parts = pieces.map(({ from, to }) => bytes.subarray(from, to));
  return { bytes: Buffer.concat(parts), placeOf, isOpen };
}
