/** How far the log of a container has been read, always at the end of a line; plain JSON. */
export type LogMark = {
  /** The number of bytes returned so far, without the timestamps before the lines. */
  readonly offset: number;
  /** The timestamp of the last line, as in the log; empty before the first line. */
  readonly time: string;
  /** How many consecutive lines have this timestamp. */
  readonly same: number;
};

export const logBeginning: LogMark = { offset: 0, time: "", same: 0 };

/** Text without the timestamps; `offset` is that of its first byte. */
export type LogPiece = { readonly bytes: Buffer; readonly offset: number; readonly atMs: number };

/** Reads lines that begin with timestamps, from one connection after another. */
export type LogLines = {
  /** A new connection starts at or before the known position: what was returned before is skipped. */
  readonly begin: () => void;
  readonly feed: (chunk: Buffer) => LogPiece | undefined;
  /** At the end of the last whole line. */
  readonly mark: () => LogMark;
};

const newline = 0x0a;
const space = 0x20;
const mostTimeBytes = 64;
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Removes the timestamps and returns each line once, over any number of connections: lines that are not later than the
 * last known one were returned before. A line may have any length.
 */
export function makeLogLines(from: LogMark): LogLines {
  const at: Place = {
    ...from,
    mark: from,
    taken: 0,
    head: "",
    is: "time",
    known: undefined,
    skip: 0,
  };
  return {
    begin: () => {
      at.known = { same: at.same, taken: at.taken };
      [at.is, at.head, at.skip] = ["time", "", 0];
    },
    feed: (chunk) => {
      const { offset } = at;
      const pieces: Buffer[] = [];
      for (let next = 0; next < chunk.length;) {
        const take = at.is === "time" ? takeTime : takeText;
        next = take(at, chunk, { next, pieces });
      }
      const bytes = Buffer.concat(pieces);
      if (bytes.length === 0) return undefined;
      return { bytes, offset, atMs: Math.min(Date.parse(at.time) || Date.now(), Date.now()) };
    },
    mark: () => at.mark,
  };
}

type Place = {
  offset: number;
  time: string;
  same: number;
  mark: LogMark;
  /** Bytes of the current, unfinished line. */
  taken: number;
  /** The text before the line's first space, as far as it has been read. */
  head: string;
  is: "time" | "text" | "passed";
  /** After a reconnect: lines of the last timestamp that are still to be skipped, and bytes of the line after them. */
  known: { same: number; readonly taken: number } | undefined;
  /** Bytes of this line that were returned before. */
  skip: number;
};

/** Reads the start of a line. What is no timestamp is text: an error page in place of the log has none. */
function takeTime(at: Place, chunk: Buffer, { next: from, pieces }: Taking): number {
  for (let next = from; next < chunk.length; next++) {
    const byte = chunk[next] ?? newline;
    if (byte === space && isTime.test(at.head)) {
      beginLine(at);
      return next + 1;
    }
    const isOdd = byte === space || byte === newline || at.head.length >= mostTimeBytes;
    if (isOdd) {
      const head = Buffer.from(at.head, "latin1");
      pieces.push(head);
      at.offset += head.length;
      [at.is, at.skip] = ["text", 0];
      return next;
    }
    at.head += String.fromCharCode(byte);
  }
  return chunk.length;
}

function beginLine(at: Place): void {
  const { known, head, time } = at;
  const isBefore = known !== undefined && time !== "" && compareTimes(head, time) < 0;
  if (isBefore || (known !== undefined && head === time && known.same > 0)) {
    if (!isBefore) known.same -= 1;
    at.is = "passed";
    return;
  }
  at.skip = head === time ? (known?.taken ?? 0) : 0;
  at.taken = at.skip;
  at.known = undefined;
  if (head !== time) [at.time, at.same] = [head, 0];
  at.is = "text";
}

type Taking = { readonly next: number; readonly pieces: Buffer[] };

function takeText(at: Place, chunk: Buffer, { next, pieces }: Taking): number {
  const end = chunk.indexOf(newline, next);
  const to = end === -1 ? chunk.length : end + 1;
  if (at.is === "text") {
    const skipped = Math.min(at.skip, to - next);
    at.skip -= skipped;
    const piece = chunk.subarray(next + skipped, to);
    pieces.push(piece);
    at.offset += piece.length;
    at.taken += piece.length;
  }
  if (end !== -1) endLine(at);
  return to;
}

function endLine(at: Place): void {
  if (at.is === "text") {
    at.same += 1;
    at.taken = 0;
    at.mark = { offset: at.offset, time: at.time, same: at.same };
  }
  [at.is, at.head] = ["time", ""];
}

/** Compares timestamps of one log: their zones differ only when the node's zone changes. */
function compareTimes(one: string, other: string): number {
  const [a, b] = [Date.parse(one), Date.parse(other)];
  if (a !== b) return a - b;
  const [left, right] = [nanos(one), nanos(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const nanos = (time: string): string => (/\.(\d+)/.exec(time)?.[1] ?? "").padEnd(9, "0");
