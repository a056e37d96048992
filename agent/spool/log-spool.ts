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

/** One execution's log on this disk: written at its end, sent from its beginning, and deleted as it is sent. */
export type LogSpool = {
  readonly identity: LogIdentity;
  /** How far each run had got when the log was opened. */
  readonly runs: ReadonlyMap<string, RunPosition>;
  readonly nextSeq: () => number;
  /** The log goes on at a number that cannot have been used: what came before may have been sent and lost here. */
  readonly isAnew: boolean;
  /** Resolves when the lines are on disk, or in memory where that refuses them, and their bytes free to be used again. */
  readonly append: (lines: SpoolLines) => Promise<void>;
  /** Bytes that wait. */
  readonly waitingBytes: () => number;
  /** When the oldest line that waits was written, by Date.now(). */
  readonly waitingSinceMs: () => number | undefined;
  /** Nothing is written any more, and nothing waits. */
  readonly isDone: () => boolean;
  /** What is to be sent next; undefined while there is nothing. Its bytes are good until the next reading. */
  readonly next: (mostBytes: number) => Promise<LogBatch | undefined>;
  /** What will be next once the given batch has been passed, if that is there already. */
  readonly following: (batch: LogBatch, mostBytes: number) => Promise<LogBatch | undefined>;
  /** The batch need not be sent again. */
  readonly pass: (batch: LogBatch) => void;
  /** Nobody wants it any more: what waits is dropped, and so is what will be written. */
  readonly giveUp: () => void;
  /** Gives up what waits in the middle, so that so many bytes are free: neither what is sent next nor the tail. */
  readonly makeRoom: (bytes: number) => void;
};

/** Lines that go to the disk together. */
export type SpoolLines = Pick<LogFrame, "count" | "runs" | "isLast" | "records">;

export type LogSpoolSpec = {
  readonly dir: string;
  readonly identity: LogIdentity;
  readonly segmentBytes: number;
  readonly found: Pick<FoundSegments, "segments" | "runs" | "nextSeq" | "isLast">;
  readonly firstFree: StreamFile["firstFree"];
  /** Makes the folder, with what stands in it besides lines. */
  readonly makeFolder: () => Promise<void>;
  /** The first of the lines that the disk did not take: it may not tell their numbers later on. */
  readonly onHeld: () => Promise<void>;
  /** Told of each write: why the disk has refused it, or nothing. */
  readonly onWrite: (error?: unknown) => void;
};

type State = LogSpoolSpec & {
  readonly segments: LogSegment[];
  readonly runs: Map<string, RunPosition>;
  nextSeq: number;
  /** No line has come since the numbers were begun anew. */
  isFirstAnew: boolean;
  hasHeld: boolean;
  syncedAtMs: number;
  isClosed: boolean;
  isUnwanted: boolean;
  /** Where in the first segment sending goes on, and with which line, if that is known. */
  sentUpTo: number;
  sentSeq: number | undefined;
  waitingSinceMs: number | undefined;
  readonly buffer: ReadBuffer;
  /** What was sent is to be taken off the disk. */
  readonly clearSoon: (isLast: boolean) => void;
};

/** Goes on with a log that was found on disk; an empty one is as good. */
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
  // A segment tells all by itself: those before it may be deleted. What was begun in it may have been cut off by a crash.
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

/** Keeps the lines in memory until they are sent; of too many the middle is given up. */
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
    // Frames without lines, or a file that somebody has spoilt: there is nothing to be sent in them.
    moveTo(state, batch === undefined ? segment.size : batch.end);
    if (batch === undefined && segment === segments[0]) break;
  }
  buffer.bytes = Buffer.alloc(0); // a quiet log keeps no memory
  return undefined;
}

function pass(state: State, { segment, end, firstSeq, count }: LogBatch): void {
  const { segments } = state;
  state.sentSeq = firstSeq + count;
  if (!segments.includes(segment)) return; // dropped while it was on its way
  while (segments[0] !== segment) drop(state, 0);
  moveTo(state, end);
}

function moveTo(state: State, offset: number): void {
  state.sentUpTo = offset;
  state.waitingSinceMs = waitingBytes(state) === 0 ? undefined : Date.now();
  deleteSent(state);
  if (waitingBytes(state) === 0) state.clearSoon(state.isClosed);
}

/** All of it is sent: only how far it got is kept. */
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

/** The last segment stays: it says how to go on. */
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
