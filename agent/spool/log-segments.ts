import { open, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import {
  decodeFrame,
  encodeFrame,
  isCutOff,
  type LogFrame,
  nextFrameAt,
  type RunPosition,
} from "./log-frame.ts";
import { isMissing } from "./stream-file.ts";

/** A file of frames; the last one grows. */
export type LogSegment = {
  readonly path: string;
  readonly number: number;
  /** Bytes of complete frames. */
  size: number;
  /** The frames in memory, when the disk failed. */
  held?: Buffer;
  /** It is sealed: its end is being sent. */
  isSealed?: boolean;
  /** It has no lines, only positions. */
  isBare?: boolean;
};

/** What a log's files say. */
export type FoundSegments = {
  readonly segments: LogSegment[];
  readonly runs: Map<string, RunPosition>;
  readonly nextSeq: number;
  readonly isLast: boolean;
  /** Some of it was corrupted after it was written. */
  readonly isSpoilt: boolean;
  /** The corrupted part may have been its end, with higher numbers. */
  readonly isEndSpoilt: boolean;
};

const suffix = ".frames";

/** Reads the segments on disk. A frame that a crash truncated is removed; a corrupted one is skipped. */
export async function findSegments(dir: string): Promise<FoundSegments> {
  const all = await readdir(dir).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = all.filter((name) => name.endsWith(suffix)).sort();
  const segments: LogSegment[] = [];
  const runs = new Map<string, RunPosition>();
  const found = { nextSeq: 1, isLast: false, isSpoilt: false, isEndSpoilt: false };
  for (const name of names) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    let size = 0;
    for (const { frame, at, end } of framesIn(bytes, "over-spoilt")) {
      found.isSpoilt ||= at > size;
      size = end;
      found.isEndSpoilt = false;
      found.nextSeq = frame.firstSeq + frame.count;
      for (const [run, position] of Object.entries(frame.runs)) runs.set(run, position);
      found.isLast = frame.isLast === true;
    }
    if (size < bytes.length) {
      found.isEndSpoilt = !isCutOff(bytes, size);
      found.isSpoilt ||= found.isEndSpoilt;
      await truncate(path, size);
    }
    segments.push({ path, number: Number.parseInt(name, 10), size });
  }
  return { segments, runs, ...found };
}

/** Makes the segment after the given one. */
export function segmentAfter(dir: string, previous: LogSegment | undefined): LogSegment {
  const number = (previous?.number ?? 0) + 1;
  const path = join(dir, `${String(number).padStart(8, "0")}${suffix}`);
  return { path, number, size: 0 };
}

/**
 * Appends a frame; with `isDurable` it survives a power failure. After an error nothing may be appended to the
 * segment.
 */
export async function appendFrame(
  segment: LogSegment,
  frame: LogFrame,
  isDurable: boolean,
): Promise<void> {
  const parts = encodeFrame(frame);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const file = await open(segment.path, "a", 0o600);
  try {
    const { bytesWritten } = await file.writev(parts);
    if (bytesWritten < bytes) {
      await file.writeFile(Buffer.concat(parts).subarray(bytesWritten));
    }
    if (isDurable) await file.datasync();
    segment.size += bytes;
  } catch (error) {
    await file.truncate(segment.size).catch(() => {}); // readers stop at its size in any case
    throw error;
  } finally {
    await file.close();
  }
}

/** Keeps a frame in memory after the disk failed; the segment has no file. */
export function holdFrame(segment: LogSegment, frame: LogFrame): void {
  segment.held = Buffer.concat([segment.held ?? Buffer.alloc(0), ...encodeFrame(frame)]);
  segment.size = segment.held.length;
}

/** Removes the segment. */
export async function removeSegment({ path, held }: LogSegment): Promise<void> {
  if (held === undefined) await rm(path, { force: true });
}

/** A frame, and its position in the segment. */
export type LocatedFrame = { readonly frame: LogFrame; readonly at: number; readonly end: number };

/** A buffer that is reused for each read. */
export type ReadBuffer = { bytes: Buffer };

/**
 * The frames from a position on, as many as fit into the given bytes, at least one; none at the end. They point into
 * the buffer, and are valid until the next read.
 */
export async function readFrames(
  segment: LogSegment,
  from: number,
  { mostBytes, buffer }: { readonly mostBytes: number; readonly buffer: ReadBuffer },
): Promise<LocatedFrame[]> {
  const length = segment.size - from;
  if (length <= 0) return [];
  const first = await readBytes(segment, { from, length: Math.min(length, mostBytes), buffer });
  if (first.length === 0) return [];
  let frames = [...framesIn(first, "up-to-spoilt")];
  if (frames.length === 0) {
    frames = [...framesIn(await readBytes(segment, { from, length, buffer }), "over-spoilt")];
  }
  return frames.map(({ frame, at, end }) => ({ frame, at: from + at, end: from + end }));
}

async function readBytes(
  { path, held }: LogSegment,
  {
    from,
    length,
    buffer,
  }: { readonly from: number; readonly length: number; readonly buffer: ReadBuffer },
): Promise<Buffer> {
  if (held !== undefined) return held.subarray(from, from + length);
  const file = await open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (file === undefined) return Buffer.alloc(0); // somebody has deleted it
  try {
    if (buffer.bytes.length < length) buffer.bytes = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await file.read(buffer.bytes, 0, length, from);
    return buffer.bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function* framesIn(bytes: Buffer, how: "over-spoilt" | "up-to-spoilt"): Generator<LocatedFrame> {
  for (let at = 0; at < bytes.length;) {
    const found = decodeFrame(bytes, at);
    if (found !== undefined) yield { ...found, at };
    else if (how === "up-to-spoilt") return;
    at = found?.end ?? nextFrameAt(bytes, at);
  }
}

const mostHeldBytes = 2 * 1024 * 1024;
const heldSegmentBytes = 256 * 1024;

/** Keeps lines in memory after the disk failed. */
export function holdLines(dir: string, segments: LogSegment[], frame: LogFrame): void {
  const last = segments.at(-1);
  const isNew = last?.held === undefined || last.size >= heldSegmentBytes;
  const segment = isNew ? segmentAfter(dir, last) : last;
  holdFrame(segment, frame);
  if (isNew) segments.push(segment);
}

/** Whether more is held in memory than allowed. */
export function isTooMuchHeld(segments: readonly LogSegment[]): boolean {
  return segments.reduce((sum, { held }) => sum + (held?.length ?? 0), 0) > mostHeldBytes;
}

/** The segment in memory that is dropped first: neither the next one to send nor the last. */
export function heldInTheMiddle(segments: readonly LogSegment[]): number | undefined {
  const at = segments.findIndex(({ held }, index) => held !== undefined && index > 0);
  return at === -1 || at === segments.length - 1 ? undefined : at;
}
