import { makeOneAtATime } from "../files/one-at-a-time.ts";
import { followingBatch, sealIfWhole, type LogBatch, toBatch } from "./log-batch.ts";
import type { LogFrame, RunPosition } from "./log-frame.ts";
import {
  heldInTheMiddle,
  holdLines,
  isTooMuchHeld,
  type FoundSegments,
  type LogSegment,
  type ReadBuffer,
  readFrames,
  removeSegment,
  segmentAfter,
} from "./log-segments.ts";
import type { LogIdentity, StreamFile } from "./stream-file.ts";
import { makeTrimThrottle } from "./trim-throttle.ts";
import { writeEnd, writeFrame } from "./write-frame.ts";

/** The log of one execution on disk: appended at its end, sent from its beginning, and deleted as it is sent. */
export type LogSpool = {
  readonly identity: LogIdentity;
  /** The position of each run when the log was opened. */
  readonly runs: ReadonlyMap<string, RunPosition>;
  readonly nextSeq: () => number;
  /** Numbers continue after a gap, because earlier ones may have been sent and lost here. */
  readonly isAnew: boolean;
  /** Resolves when the lines are on disk, or in memory if that failed; their buffer may then be reused. */
  readonly append: (lines: SpoolLines) => Promise<void>;
  /** Bytes that wait. */
  readonly waitingBytes: () => number;
  /** When the oldest line that waits was written, by Date.now(). */
  readonly waitingSinceMs: () => number | undefined;
  /** It is closed and everything was sent. */
  readonly isDone: () => boolean;
  /** The next batch to send; undefined if there is none. Its bytes are valid until the next read. */
  readonly next: (mostBytes: number) => Promise<LogBatch | undefined>;
  /** The batch after the given one, if it is available already. */
  readonly following: (batch: LogBatch, mostBytes: number) => Promise<LogBatch | undefined>;
  /** Marks the batch as sent. */
  readonly pass: (batch: LogBatch) => void;
  /** Drops what waits and what will be written: the broker refuses the log. */
  readonly giveUp: () => void;
  /** Drops lines in the middle to free the given bytes: neither the next ones to send nor the tail. */
  readonly makeRoom: (bytes: number) => void;
};

/** Lines that are written together. */
export type SpoolLines = Pick<LogFrame, "count" | "runs" | "isLast" | "records">;

export type LogSpoolSpec = {
  readonly dir: string;
  readonly identity: LogIdentity;
  readonly segmentBytes: number;
  readonly found: Pick<FoundSegments, "segments" | "runs" | "nextSeq" | "isLast">;
  readonly firstFree: StreamFile["firstFree"];
  /** Makes the folder and its file of facts. */
  readonly makeFolder: () => Promise<void>;
  /** The first line that is not on disk: its number may be unknown later. */
  readonly onHeld: () => Promise<void>;
  /** Called after each write, with the reason if the disk failed. */
  readonly onWrite: (error?: unknown) => void;
};

type State = LogSpoolSpec & {
  readonly segments: LogSegment[];
  readonly runs: Map<string, RunPosition>;
  nextSeq: number;
  /** No line was written since the numbers were restarted. */
  isFirstAnew: boolean;
  hasHeld: boolean;
  syncedAtMs: number;
  isClosed: boolean;
  isUnwanted: boolean;
  /** The position in the first segment to send from, and its line, if known. */
  sentUpTo: number;
  sentSeq: number | undefined;
  waitingSinceMs: number | undefined;
  readonly buffer: ReadBuffer;
  /** What was sent is to be removed from disk. */
  readonly clearSoon: (isLast: boolean) => void;
};

/** Continues a log that was found on disk; an empty one is fine. */
export function makeLogSpool(spec: LogSpoolSpec): LogSpool {
  const { segments, runs, nextSeq, isLast } = spec.found;
  const inTurn = makeOneAtATime(); // on the disk
  const state: State = {
    ...spec,
    segments,
    runs,
    nextSeq: Math.max(nextSeq, spec.firstFree),
    isFirstAnew: spec.firstFree > nextSeq,
    hasHeld: false,
    syncedAtMs: 0,
    isClosed: isLast,
    isUnwanted: false,
    sentUpTo: 0,
    sentSeq: undefined,
    waitingSinceMs: segments.length > 0 ? Date.now() : undefined,
    buffer: { bytes: Buffer.alloc(0) },
    clearSoon: makeTrimThrottle(() => inTurn(() => clear(state))),
  };
  return {
    identity: spec.identity,
    runs,
    nextSeq: () => state.nextSeq,
    isAnew: state.isFirstAnew,
    append: (lines) => inTurn(() => append(state, lines)),
    waitingBytes: () => waitingBytes(state),
    waitingSinceMs: () => state.waitingSinceMs,
    isDone: () => state.isUnwanted || (state.isClosed && waitingBytes(state) === 0),
    next: (mostBytes) => next(state, mostBytes),
    following: (batch, mostBytes) => followingBatch(state, batch, mostBytes),
    pass: (batch) => pass(state, batch),
    makeRoom: (bytes) => makeRoom(state, bytes),
    giveUp() {
      state.isUnwanted = true;
      while (segments.length > 0) drop(state, 0);
      state.sentUpTo = 0;
      state.waitingSinceMs = undefined;
    },
  };
}

async function append(state: State, lines: SpoolLines): Promise<void> {
  const { dir, segments, runs, segmentBytes } = state;
  const firstSeq = state.nextSeq;
  state.nextSeq += lines.count;
  for (const [run, position] of Object.entries(lines.runs)) runs.set(run, position);
  state.isClosed = lines.isLast === true;
  if (state.isUnwanted) return;
  const last = segments.at(-1);
  const isNew = last === undefined || isFull(last, segmentBytes);
  const segment = isNew ? segmentAfter(dir, last) : last;
  // Each segment is self-contained, because those before it may be deleted. What it begins with may have been
  // truncated by a crash.
  const known = segment.size === 0 ? Object.fromEntries(runs) : lines.runs;
  const isAnew = state.isFirstAnew;
  const frame = { ...lines, firstSeq, runs: known, ...(isAnew && { isAnew }) };
  try {
    await writeFrame(state, segment, frame);
    if (isNew) segments.push(segment);
    if (lines.count > 0) segment.isBare = false;
    state.onWrite();
  } catch (error) {
    await hold(state, frame);
    state.onWrite(error);
  }
  if (lines.count > 0) state.isFirstAnew = false;
  state.waitingSinceMs ??= Date.now();
  if (isNew) deleteSent(state);
}

function isFull({ held, size, isSealed }: LogSegment, segmentBytes: number): boolean {
  return held !== undefined || size >= segmentBytes || isSealed === true;
}

/** Keeps lines in memory until they are sent; if there are too many, the middle is dropped. */
async function hold(state: State, frame: LogFrame): Promise<void> {
  const { dir, segments, segmentBytes } = state;
  if (!state.hasHeld) await state.onHeld();
  state.hasHeld = true;
  holdLines(dir, segments, frame);
  if (!isTooMuchHeld(segments)) return;
  makeRoom(state, 2 * segmentBytes); // on disk, for those to come
  while (isTooMuchHeld(segments)) {
    const at = heldInTheMiddle(segments);
    if (at === undefined) return;
    drop(state, at);
  }
}

function waitingBytes({ segments, sentUpTo }: State): number {
  let bytes = -sentUpTo;
  for (const { size } of segments) bytes += size;
  return bytes;
}

async function next(state: State, mostBytes: number): Promise<LogBatch | undefined> {
  const { segments, buffer } = state;
  for (let segment = segments[0]; segment !== undefined; segment = segments[0]) {
    const frames = await readFrames(segment, state.sentUpTo, { mostBytes, buffer });
    if (segment !== segments[0]) continue;
    const batch =
      frames.length === 0 ? undefined : toBatch({ segment, frames }, mostBytes, state.sentSeq);
    if (batch !== undefined && batch.count > 0) return sealIfWhole(batch);
    // Frames without lines, or a corrupted file: there is nothing to send.
    moveTo(state, batch === undefined ? segment.size : batch.end);
    if (batch === undefined && segment === segments[0]) break;
  }
  buffer.bytes = Buffer.alloc(0); // a quiet log keeps no memory
  return undefined;
}

function pass(state: State, { segment, end, firstSeq, count }: LogBatch): void {
  const { segments } = state;
  state.sentSeq = firstSeq + count;
  if (!segments.includes(segment)) return; // dropped while it was being sent
  while (segments[0] !== segment) drop(state, 0);
  moveTo(state, end);
}

function moveTo(state: State, offset: number): void {
  state.sentUpTo = offset;
  state.waitingSinceMs = waitingBytes(state) === 0 ? undefined : Date.now();
  deleteSent(state);
  if (waitingBytes(state) === 0) state.clearSoon(state.isClosed);
}

/** All of it was sent: only the positions are kept. */
async function clear(state: State): Promise<void> {
  const { segments } = state;
  if (segments.length === 0 || waitingBytes(state) > 0) return;
  const end = await writeEnd(state);
  if (end === undefined) return;
  // Meanwhile it may have been given up.
  if (segments.length === 0) return void removeSegment(end).catch(state.onWrite);
  while (segments.length > 0) drop(state, 0);
  segments.push(end);
  state.sentUpTo = end.size;
}

/** The last segment stays, because it holds the positions. */
function deleteSent(state: State): void {
  const { segments } = state;
  while (segments.length > 1 && segments[0] !== undefined && state.sentUpTo >= segments[0].size) {
    drop(state, 0);
    state.sentUpTo = 0;
  }
}

function makeRoom(state: State, bytes: number): void {
  const { segments, segmentBytes } = state;
  let tail = 0;
  for (const { size } of segments.slice(1)) tail += size;
  let freed = 0;
  for (let next = segments[1]; next !== undefined && freed < bytes; next = segments[1]) {
    tail -= next.size;
    if (tail < segmentBytes) return;
    freed += next.size;
    drop(state, 1);
  }
}

function drop({ segments, onWrite }: State, at: number): void {
  for (const segment of segments.splice(at, 1)) removeSegment(segment).catch(onWrite);
}
