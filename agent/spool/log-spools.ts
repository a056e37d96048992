import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeDiskError } from "../files/disk-error.ts";
import type { Log } from "../log.ts";
import { findSegments } from "./log-segments.ts";
import { type LogSpool, makeLogSpool } from "./log-spool.ts";
import { type LogIdentity, markDoubtful, readStreamFile, writeStreamFile } from "./stream-file.ts";

/** The logs on this disk that are not delivered yet, and their limits. One for the whole agent. */
export type LogSpools = {
  /** Opens or makes the log of an execution; there is one of each. A failing disk does not prevent that. */
  readonly open: (identity: LogIdentity) => Promise<LogSpool>;
  /** All logs, including those of earlier processes of the agent. */
  readonly all: () => readonly LogSpool[];
  readonly find: (executionId: string) => LogSpool | undefined;
  /** Called after each append: drops lines in the middle of the longest logs over the limits, notifies the listener. */
  readonly appended: (spool: LogSpool) => void;
  readonly onAppend: (listener: (spool: LogSpool) => void) => void;
  /**
   * Resolves when there is space for more. A log that is faster than the broker waits; one that no broker accepts now,
   * or whose signal has aborted, does not wait and loses its middle.
   */
  readonly room: (wanted: WantedRoom) => Promise<void>;
  /** The most output to read between two waits for space: even if each byte becomes a line, it fits. */
  readonly pieceBytes: number;
  /** Reports whether a broker accepts the log's records, however slowly; called after each attempt. */
  readonly setFlowing: (spool: LogSpool, isFlowing: boolean) => void;
  /** Bytes on disk that wait. */
  readonly waitingBytes: () => number;
  /** How long the oldest has been waiting; 0 when nothing waits. */
  readonly oldestWaitingMs: () => number;
  /** Why logs cannot be stored now, for people. */
  readonly problem: () => string | undefined;
  /** Deletes logs that are closed and sent, after ten minutes: until then a resumed job still finds its positions. */
  readonly sweep: () => Promise<void>;
};

export type WantedRoom = {
  readonly spool: LogSpool;
  /** Bytes of the log that are about to be written. */
  readonly pendingBytes: () => number;
  readonly signal: AbortSignal | undefined;
};

export type LogSpoolsSpec = {
  /** `logs` in the data directory; made when it is missing. */
  readonly dir: string;
  readonly log: Log;
  /** The size limit of one job's log; 64 MiB by default. */
  readonly maxBytesPerJob?: number;
  /** The size limit of all logs; 1 GiB by default. */
  readonly maxBytes?: number;
};

type State = {
  readonly dir: string;
  readonly log: Log;
  readonly maxBytesPerJob: number;
  readonly maxBytes: number;
  readonly spools: Map<string, LogSpool>;
  /** Logs of earlier processes that were not opened since. */
  readonly left: Set<string>;
  /** Logs of earlier processes that could not be read so far. */
  readonly unread: Set<string>;
  /** Logs whose records no broker accepts now. */
  readonly stalled: Set<LogSpool>;
  /** Callers that wait for space, to be notified. */
  waiters: (() => void)[];
  trouble: string | undefined;
};

const mebibyte = 1024 * 1024;
const keepDoneMs = 10 * 60_000;
const keepForsakenMs = 24 * 60 * 60_000;
/** How many numbers are skipped where some may have been used that are no longer on disk. */
const freeNumbers = 200_000;
/** Each byte of a chunk may become a line, whose record has up to 500 bytes if the step's name is long. */
const piecesInSpool = 1024;

/** Opens the folder and every log in it. */
export async function openLogSpools(spec: LogSpoolsSpec): Promise<LogSpools> {
  const state: State = {
    maxBytesPerJob: 64 * mebibyte,
    maxBytes: 1024 * mebibyte,
    ...spec,
    spools: new Map(),
    left: new Set(),
    unread: new Set(),
    stalled: new Set(),
    waiters: [],
    trouble: undefined,
  };
  let listener: ((spool: LogSpool) => void) | undefined;
  await mkdir(spec.dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(spec.dir)) await openLeft(state, name);
  await sweep(state);
  return {
    open: (identity) => open(state, identity),
    all: () => [...state.spools.values()],
    find: (executionId) => state.spools.get(executionId),
    appended(spool) {
      keepBounds(state, spool);
      checkDiskSpace(state);
      listener?.(spool);
    },
    onAppend: (told) => (listener = told),
    room: (wanted) => room(state, wanted),
    pieceBytes: Math.ceil(state.maxBytesPerJob / piecesInSpool),
    setFlowing: (spool, isFlowing) => setFlowing(state, spool, isFlowing),
    waitingBytes: () => waitingBytes(state),
    oldestWaitingMs: () => oldestWaitingMs(state),
    problem: () => state.trouble,
    sweep: () => sweep(state),
  };
}

async function open(state: State, identity: LogIdentity): Promise<LogSpool> {
  const { dir, log, maxBytesPerJob, spools, left, unread } = state;
  const { executionId } = identity;
  const folder = folderOf(dir, executionId);
  const known = spools.get(executionId);
  if (known !== undefined) {
    left.delete(executionId);
    return known;
  }
  const found = await findSegments(folder);
  const before = await readStreamFile(folder).catch(() => undefined);
  if (found.isSpoilt) {
    log.warn({ execution_id: executionId }, "a damaged part of a log was skipped");
  }
  const isDoubtful = !found.isLast && (found.isEndSpoilt || before?.isDoubtful === true);
  const next = Math.max(found.nextSeq, before?.firstFree ?? 1);
  const firstFree = isDoubtful ? next + freeNumbers : next;
  const makeFolder = (): Promise<void> => writeStreamFile(folder, { identity, firstFree });
  await makeFolder().catch((error: unknown) => noteWrite(state, error));
  const spool = makeLogSpool({
    dir: folder,
    identity,
    segmentBytes: Math.min(mebibyte, Math.ceil(maxBytesPerJob / 16)),
    found,
    firstFree,
    makeFolder,
    onHeld: () => markDoubtful(folder).catch(() => {}), // best effort
    onWrite: (error) => noteWrite(state, error),
  });
  spools.set(executionId, spool);
  left.delete(executionId);
  unread.delete(executionId);
  return spool;
}

async function openLeft(state: State, name: string): Promise<void> {
  const { dir, log, left, unread } = state;
  try {
    const stored = await readStreamFile(join(dir, name));
    if (stored === undefined) throw new SyntaxError("it does not say which log it is");
    await open(state, stored.identity);
    left.add(name);
  } catch (error) {
    if (error instanceof SyntaxError) {
      log.warn({ execution_id: name, err: error }, "a log file is invalid; it is deleted");
      await rm(join(dir, name), { recursive: true, force: true });
    } else {
      if (!unread.has(name)) log.warn({ execution_id: name, err: error }, "a log cannot be read");
      unread.add(name);
    }
  }
}

function noteWrite(state: State, error: unknown): void {
  const before = state.trouble;
  state.trouble = error === undefined ? undefined : describeDiskError(state.dir, error);
  if (state.trouble !== undefined && before === undefined) {
    state.log.error({ why: state.trouble }, "log lines were lost");
  }
}

function keepBounds(state: State, written: LogSpool): void {
  const over = written.waitingBytes() - state.maxBytesPerJob;
  if (over > 0) written.makeRoom(over);
  const overAll = waitingBytes(state) - state.maxBytes;
  if (overAll <= 0) return;
  const longest = [...state.spools.values()].sort((a, b) => b.waitingBytes() - a.waitingBytes());
  longest[0]?.makeRoom(overAll);
}

async function room(state: State, { spool, pendingBytes, signal }: WantedRoom): Promise<void> {
  const isHalfFull = (): boolean =>
    spool.waitingBytes() + pendingBytes() > state.maxBytesPerJob / 2 ||
    waitingBytes(state) > state.maxBytes / 2;
  const isHurried = (): boolean => signal?.aborted === true;
  while (isHalfFull() && !state.stalled.has(spool) && !isHurried()) {
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        signal?.removeEventListener("abort", goOn);
        resolve();
      };
      signal?.addEventListener("abort", goOn);
      state.waiters.push(goOn);
    });
  }
}

function setFlowing(state: State, spool: LogSpool, isFlowing: boolean): void {
  if (isFlowing) state.stalled.delete(spool);
  else state.stalled.add(spool);
  checkDiskSpace(state);
}

function checkDiskSpace(state: State): void {
  const told = state.waiters;
  state.waiters = [];
  for (const tell of told) tell();
}

function waitingBytes({ spools }: State): number {
  let bytes = 0;
  for (const spool of spools.values()) bytes += spool.waitingBytes();
  return bytes;
}

function oldestWaitingMs({ spools }: State): number {
  const nowMs = Date.now();
  let sinceMs = nowMs;
  for (const spool of spools.values()) sinceMs = Math.min(sinceMs, spool.waitingSinceMs() ?? nowMs);
  return nowMs - sinceMs;
}

async function sweep(state: State): Promise<void> {
  for (const name of state.unread) await openLeft(state, name);
  for (const [id, spool] of state.spools) {
    const isForsaken = state.left.has(id) && spool.waitingBytes() === 0;
    if (!spool.isDone() && !isForsaken) continue;
    const folder = folderOf(state.dir, id);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: 0 }));
    if (Date.now() - mtimeMs < (spool.isDone() ? keepDoneMs : keepForsakenMs)) continue;
    state.spools.delete(id);
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
      noteWrite(state, error),
    );
  }
}

/** Ids come from the broker, so they are checked: they must not lead out of this folder. */
function folderOf(dir: string, executionId: string): string {
  if (!/^[\w-]{1,100}$/.test(executionId)) {
    throw new Error("an execution's id is not a valid folder name");
  }
  return join(dir, executionId);
}
