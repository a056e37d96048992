import { crc32 } from "node:zlib";

/** The position in one child's output that has been logged. */
export type RunPosition = {
  /** Bytes of the output that are in lines or in `rest`. */
  readonly offset: number;
  /** How many bytes after them belong to a secret that was already replaced. */
  readonly covered: number;
  /** How many bytes of base64 come directly before them. */
  readonly width?: number;
  /** The incomplete line, redacted; base64. */
  readonly rest: string;
  readonly restAtMs: number;
  /** The state of its renderer. */
  readonly kept?: string;
};

/** Lines that are written together, and what is needed to continue after them. */
export type LogFrame = {
  /** The number of its first line; without lines, that of the next one. */
  readonly firstSeq: number;
  readonly count: number;
  /** Positions by the names of runs. */
  readonly runs: Readonly<Record<string, RunPosition>>;
  /** This is the last frame. */
  readonly isLast?: true;
  /** Numbers before it were skipped so that none is used twice; no lines were dropped. */
  readonly isAnew?: true;
  /** OTLP's log records, each with its tag and length, as they will be sent. */
  readonly records: Buffer;
};

const magic = 0x53_4c_46_31;
const magicBytes = Buffer.from("SLF1");
const headBytes = 28;

/** The frame's bytes, in parts: lengths and a checksum come first, so that a truncated frame is detected. */
export function encodeFrame({
  firstSeq,
  count,
  runs,
  isLast,
  isAnew,
  records,
}: LogFrame): Buffer[] {
  const notes = Buffer.from(JSON.stringify({ runs, isLast, isAnew }));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(magic, 0);
  head.writeUInt32BE(notes.length, 8);
  head.writeUInt32BE(records.length, 12);
  head.writeUInt32BE(count, 16);
  head.writeDoubleBE(firstSeq, 20);
  head.writeUInt32BE(crc32(records, crc32(notes, crc32(head.subarray(8)))), 4);
  return [head, notes, records];
}

/** The frame at a position, and its end; undefined when it is incomplete. */
export function decodeFrame(
  bytes: Buffer,
  at: number,
): { readonly frame: LogFrame; readonly end: number } | undefined {
  if (bytes.length < at + headBytes || bytes.readUInt32BE(at) !== magic) return undefined;
  const notesAt = at + headBytes;
  const recordsAt = notesAt + bytes.readUInt32BE(at + 8);
  const end = recordsAt + bytes.readUInt32BE(at + 12);
  if (end > bytes.length) return undefined;
  if (crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32BE(at + 4)) return undefined;
  // The checksum proves that this program wrote it.
  const notes = JSON.parse(bytes.toString("utf8", notesAt, recordsAt)) as Pick<
    LogFrame,
    "runs" | "isLast" | "isAnew"
  >;
  const frame = {
    ...notes,
    count: bytes.readUInt32BE(at + 16),
    firstSeq: bytes.readDoubleBE(at + 20),
    records: bytes.subarray(recordsAt, end),
  };
  return { frame, end };
}

/** The next position at which a frame may begin; the end when there is none. */
export function nextFrameAt(bytes: Buffer, at: number): number {
  const next = bytes.indexOf(magicBytes, at + 1);
  return next === -1 ? bytes.length : next;
}

/** Whether the bytes from a position on may be the beginning of an incomplete frame. */
export function isCutOff(bytes: Buffer, at: number): boolean {
  const rest = bytes.length - at;
  if (bytes.compare(magicBytes, 0, Math.min(rest, 4), at, at + Math.min(rest, 4)) !== 0)
    return false;
  if (rest < headBytes) return true;
  return headBytes + bytes.readUInt32BE(at + 8) + bytes.readUInt32BE(at + 12) > rest;
}
