import { rm } from "node:fs/promises";
import { type LogBatch, toBatch } from "./log-batch.ts";
import type { RunPosition } from "./log-frame.ts";
import {
  appendFrame,
  findSegments,
  type LogSegment,
  type ReadBuffer,
  readFrames,
  segmentAfter,
} from "./log-segments.ts";

/** Whose log it is, and what the broker is to be told with it. */
export type LogIdentity = {
  readonly executionId: string;
  readonly streamId: string;
  /** Of the whole log. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** One execution's log on this disk: written at its end, sent from its beginning, and deleted as it is sent. */
export type LogSpool = {
  readonly identity: LogIdentity;
  /** How far each run had got when the log was opened. */
  readonly runs: ReadonlyMap<string, RunPosition>;
  readonly nextSeq: () => number;
  /** Resolves when the lines are on disk, and their bytes free to be used again (or were given up: then the disk refuses even what room was made for). */
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
export type SpoolLines = {
  readonly count: number;
  readonly runs: Readonly<Record<string, RunPosition>>;
  readonly isLast?: true;
  readonly records: Buffer;
};

export type LogSpoolSpec = {
  readonly dir: string;
  readonly identity: LogIdentity;
  readonly segmentBytes: number;
  /** Told of each write: why the disk has refused it, or nothing. */
  readonly onWrite: (error?: unknown) => void;
};

type State = LogSpoolSpec & {
  readonly segments: LogSegment[];
  readonly runs: Map<string, RunPosition>;
  nextSeq: number;
  isClosed: boolean;
  isUnwanted: boolean;
  /** Where in the first segment sending goes on, and with which line, if that is known. */
  sentUpTo: number;
  sentSeq: number | undefined;
  waitingSinceMs: number | undefined;
  readonly buffer: ReadBuffer;
};

/** Opens a log, also one that a former process of the agent has left. */
export async function openLogSpool(spec: LogSpoolSpec): Promise<LogSpool> {
  const { segments, runs, nextSeq, isLast } = await findSegments(spec.dir);
  const state: State = {
    ...spec,
    segments,
    runs,
    nextSeq,
    isClosed: isLast,
    isUnwanted: false,
    sentUpTo: 0,
    sentSeq: undefined,
    waitingSinceMs: segments.length > 0 ? Date.now() : undefined,
    buffer: { bytes: Buffer.alloc(0) },
  };
  return {
    identity: spec.identity,
    runs,
    nextSeq: () => state.nextSeq,
    append: (lines) => append(state, lines),
    waitingBytes: () => waitingBytes(state),
    waitingSinceMs: () => state.waitingSinceMs,
    isDone: () => state.isUnwanted || (state.isClosed && waitingBytes(state) === 0),
    next: (mostBytes) => next(state, mostBytes),
    following: (batch, mostBytes) => following(state, batch, mostBytes),
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
  const isNew = last === undefined || last.size >= segmentBytes;
  const segment = isNew ? segmentAfter(dir, last) : last;
  // A segment tells all by itself: those before it may be deleted.
  const known = isNew ? Object.fromEntries(runs) : lines.runs;
  try {
    await appendFrame(segment, { ...lines, firstSeq, runs: known });
    if (isNew) segments.push(segment);
    state.onWrite();
  } catch (error) {
    state.onWrite(error);
    makeRoom(state, 2 * segmentBytes);
  }
  state.waitingSinceMs ??= Date.now();
  if (isNew) deleteSent(state);
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
    if (batch !== undefined && batch.count > 0) return batch;
    // Frames without lines, or a file that somebody has spoilt: there is nothing to be sent in them.
    moveTo(state, batch === undefined ? segment.size : batch.end);
    if (batch === undefined && segment === segments[0]) break;
  }
  buffer.bytes = Buffer.alloc(0); // a quiet log keeps no memory
  return undefined;
}

async function following(
  { segments, buffer }: State,
  { segment: current, end, firstSeq, count }: LogBatch,
  mostBytes: number,
): Promise<LogBatch | undefined> {
  const at = segments.indexOf(current);
  const isUsedUp = end >= current.size;
  const segment = at === -1 ? undefined : segments[isUsedUp ? at + 1 : at];
  if (segment === undefined) return undefined;
  const frames = await readFrames(segment, isUsedUp ? 0 : end, { mostBytes, buffer });
  if (frames.length === 0) return undefined;
  const batch = toBatch({ segment, frames }, mostBytes, firstSeq + count);
  return batch.count === 0 ? undefined : batch;
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
  for (const { path } of segments.splice(at, 1)) void rm(path, { force: true }).catch(onWrite);
}
