import { mkdir, open, readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { decodeFrame, encodeFrame, type LogFrame, type RunPosition } from "./log-frame.ts";

/** A file of frames; the last one grows. */
export type LogSegment = {
  readonly path: string;
  readonly number: number;
  /** Bytes of whole frames. */
  size: number;
};

/** What a log's files say. */
export type FoundSegments = {
  readonly segments: LogSegment[];
  readonly runs: Map<string, RunPosition>;
  readonly nextSeq: number;
  readonly isLast: boolean;
};

const suffix = ".frames";

/** Reads what is there; a frame that was cut off by a crash is cut off for good. */
export async function findSegments(dir: string): Promise<FoundSegments> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const names = (await readdir(dir)).filter((name) => name.endsWith(suffix)).sort();
  const segments: LogSegment[] = [];
  const runs = new Map<string, RunPosition>();
  let nextSeq = 1;
  let isLast = false;
  for (const name of names) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    let size = 0;
    for (const { frame, end } of framesIn(bytes)) {
      size = end;
      nextSeq = frame.firstSeq + frame.count;
      for (const [run, position] of Object.entries(frame.runs)) runs.set(run, position);
      isLast = frame.isLast === true;
    }
    if (size < bytes.length) await truncate(path, size);
    segments.push({ path, number: Number.parseInt(name, 10), size });
  }
  return { segments, runs, nextSeq, isLast };
}

/** A segment to come, after the given one. */
export function segmentAfter(dir: string, previous: LogSegment | undefined): LogSegment {
  const number = (previous?.number ?? 0) + 1;
  const path = join(dir, `${String(number).padStart(8, "0")}${suffix}`);
  return { path, number, size: 0 };
}

/** Appends a frame; when it fails, what was written of it is cut off again or never read. */
export async function appendFrame(segment: LogSegment, frame: LogFrame): Promise<void> {
  const parts = encodeFrame(frame);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const file = await open(segment.path, "a", 0o600);
  try {
    const { bytesWritten } = await file.writev(parts);
    if (bytesWritten < bytes) {
      await file.writeFile(Buffer.concat(parts).subarray(bytesWritten));
    }
    segment.size += bytes;
  } catch (error) {
    await file.truncate(segment.size).catch(() => {}); // readers stop at its size in any case
    throw error;
  } finally {
    await file.close();
  }
}

/** A frame and the places in its segment where it begins and ends. */
export type PlacedFrame = { readonly frame: LogFrame; readonly at: number; readonly end: number };

/** Memory that is used again for each reading. */
export type ReadBuffer = { bytes: Buffer };

/**
 * The frames from a place on, as many as fit into so many bytes, one at least; none at the end. They lie in the buffer,
 * until it is read into again.
 */
export async function readFrames(
  segment: LogSegment,
  from: number,
  { mostBytes, buffer }: { readonly mostBytes: number; readonly buffer: ReadBuffer },
): Promise<PlacedFrame[]> {
  const length = segment.size - from;
  if (length <= 0) return [];
  const first = await readBytes(segment, { from, length: Math.min(length, mostBytes), buffer });
  if (first.length === 0) return [];
  const found = [...framesIn(first)];
  const frames =
    found.length > 0 ? found : [...framesIn(await readBytes(segment, { from, length, buffer }))];
  return frames.map(({ frame, at, end }) => ({ frame, at: from + at, end: from + end }));
}

async function readBytes(
  { path }: LogSegment,
  {
    from,
    length,
    buffer,
  }: { readonly from: number; readonly length: number; readonly buffer: ReadBuffer },
): Promise<Buffer> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return Buffer.alloc(0); // somebody has deleted it
  try {
    if (buffer.bytes.length < length) buffer.bytes = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await file.read(buffer.bytes, 0, length, from);
    return buffer.bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function* framesIn(bytes: Buffer): Generator<PlacedFrame> {
  let at = 0;
  for (;;) {
    const found = decodeFrame(bytes, at);
    if (found === undefined) return;
    yield { ...found, at };
    at = found.end;
  }
}
