import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import type { finishExecutionRoute } from "../../shared/api/report-executions.ts";
import type { RouteInput } from "../../shared/api/route.ts";
import { syncFolder, writeDurably } from "../files/atomic-file.ts";
import { describeDiskError, errorCode } from "../files/disk-error.ts";
import type { Log } from "../log.ts";
import type { Ballast } from "./ballast.ts";

/** Results that wait for delivery, by execution. Each survives the agent once its `put` has resolved. */
export type ResultOutbox = {
  /**
   * Stores a result; redacted JSON. On a full disk some space is reserved for it. Never rejects: if the disk fails, it
   * stays in memory and is written as soon as possible, and `problem` says so until then.
   */
  readonly put: (executionId: string, result: object) => Promise<void>;
  /** The executions whose results wait, oldest first. */
  readonly list: () => readonly string[];
  /**
   * The stored result; undefined when there is none or it was corrupt (then it was moved aside). Rejects when it
   * cannot be read now.
   */
  readonly read: (executionId: string) => Promise<object | undefined>;
  /** The result is on disk, or there is none any more. */
  readonly isSafe: (executionId: string) => boolean;
  /** Resolves when that is so. */
  readonly safe: (executionId: string) => Promise<void>;
  /** Removes a result that was delivered or finally refused. Never rejects. */
  readonly remove: (executionId: string) => Promise<void>;
  /** Moves an unreadable result to corrupt/, with one warning. */
  readonly setAside: (executionId: string, why: string) => Promise<void>;
  /** Why results cannot be stored now, for people; claim no jobs while there is a reason. */
  readonly problem: () => string | undefined;
  /** Stops retrying failed writes. */
  readonly close: () => void;
};

export type ResultOutboxSpec = {
  /** `results` in the data directory; made when it is missing. */
  readonly dir: string;
  readonly log: Log;
  /** Disk space that is reserved for results. */
  readonly ballast?: Ballast;
  /** The interval of retries after a failed write; 2 s by default. */
  readonly retryEveryMs?: number;
};

type State = ResultOutboxSpec & {
  /** Executions in the order of their results. */
  readonly waiting: Set<string>;
  /** Results that are not on disk yet. */
  readonly unwritten: Map<string, object>;
  /** Callers that wait until a result is stored. */
  readonly waiters: Map<string, () => void>;
  trouble: string | undefined;
  isWriting: boolean;
};

const suffix = ".json";
const idPattern = /^[\w-]{1,100}$/;

/** Opens the outbox with the results of earlier processes of the agent. */
export async function openResultOutbox(spec: ResultOutboxSpec): Promise<ResultOutbox> {
  const { dir, retryEveryMs = 2000 } = spec;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const waiting = new Set(await findResults(dir));
  const state: State = {
    ...spec,
    waiting,
    unwritten: new Map(),
    waiters: new Map(),
    trouble: undefined,
    isWriting: false,
  };
  const timer = setInterval(() => void writeAgain(state), retryEveryMs).unref();
  return {
    put: (id, result) => put(state, id, result),
    list: () => [...state.waiting],
    read: (id) => read(state, id),
    isSafe: (id) => !state.unwritten.has(id),
    safe: (id) => safe(state, id),
    remove: (id) => remove(state, id),
    setAside: (id, why) => setAside(state, id, why),
    problem: () => state.trouble,
    close: () => clearInterval(timer),
  };
}

/** Oldest first; temporary files of interrupted writes are ignored. */
async function findResults(dir: string): Promise<string[]> {
  const found: { id: string; atMs: number }[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (!entry.isFile()) continue;
    const id = entry.name.slice(0, -suffix.length);
    if (entry.name.endsWith(suffix) && idPattern.test(id)) {
      found.push({ id, atMs: (await stat(path)).mtimeMs });
    } else if (entry.name.endsWith(".tmp")) {
      await rm(path, { force: true });
    }
  }
  return found.sort((one, other) => one.atMs - other.atMs).map(({ id }) => id);
}

async function put(state: State, id: string, result: object): Promise<void> {
  state.unwritten.delete(id);
  try {
    await write(state, id, result);
  } catch (error) {
    const why = describeDiskError(state.dir, error);
    if (state.trouble === undefined) {
      state.log.error(
        { execution_id: id, why },
        "a result could not be written to disk; it is kept in memory",
      );
    }
    state.trouble = why;
    state.unwritten.set(id, result);
  }
  state.waiting.add(id);
}

async function safe({ unwritten, waiters }: State, id: string): Promise<void> {
  if (unwritten.has(id)) await new Promise<void>((resolve) => waiters.set(id, resolve));
}

/** It is no longer in memory only. */
function settle({ unwritten, waiters }: State, id: string): void {
  unwritten.delete(id);
  waiters.get(id)?.();
  waiters.delete(id);
}

const write = ({ dir, ballast }: State, id: string, result: object): Promise<void> =>
  (ballast?.writing ?? plainly)(() => writeDurably(pathOf(dir, id), toText(result)));

const plainly: Ballast["writing"] = (write) => write();

async function writeAgain(state: State): Promise<void> {
  if (state.isWriting) return;
  if (state.unwritten.size === 0) return await state.ballast?.restore();
  state.isWriting = true;
  try {
    for (const [id, result] of state.unwritten) {
      await write(state, id, result);
      // It was delivered meanwhile, so nothing of it may be left.
      if (!state.waiting.has(id)) await rm(pathOf(state.dir, id), { force: true });
      if (state.unwritten.get(id) === result) settle(state, id);
    }
    state.trouble = undefined;
    state.log.info({ dir: state.dir }, "results can be written again");
  } catch (error) {
    if (state.unwritten.size > 0) state.trouble = describeDiskError(state.dir, error);
  } finally {
    state.isWriting = false;
  }
}

async function read(state: State, id: string): Promise<object | undefined> {
  const unwritten = state.unwritten.get(id);
  if (unwritten !== undefined) return unwritten;
  try {
    return fromText(await readFile(pathOf(state.dir, id), "utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") state.waiting.delete(id);
    else if (error instanceof Senseless) await setAside(state, id, error.message);
    else throw error;
    return undefined;
  }
}

/** What was read is no result, and never will be. */
class Senseless extends Error {}

async function remove(state: State, id: string): Promise<void> {
  state.waiting.delete(id);
  settle(state, id);
  if (state.unwritten.size === 0) state.trouble = undefined;
  try {
    await rm(pathOf(state.dir, id), { force: true });
  } catch (error) {
    // It is delivered again after the next start, which is harmless.
    state.log.warn({ execution_id: id, err: error }, "a delivered result cannot be deleted");
  }
}

async function setAside(state: State, id: string, why: string): Promise<void> {
  const { dir, log, waiting } = state;
  if (!waiting.delete(id)) return;
  settle(state, id);
  const corrupt = join(dir, "corrupt");
  log.warn(
    { execution_id: id, why, moved_to: corrupt },
    "a result file is invalid; it is set aside",
  );
  try {
    await mkdir(corrupt, { recursive: true, mode: 0o700 });
    await rename(pathOf(dir, id), join(corrupt, `${id}${suffix}`));
    await syncFolder(dir);
  } catch (error) {
    // It was in memory only, or the disk fails: the next start finds it again.
    log.debug({ execution_id: id, err: error }, "setting a result aside failed");
  }
}

/** Ids come from the broker, so they are checked: they must not lead out of this folder. */
function pathOf(dir: string, id: string): string {
  if (!idPattern.test(id)) throw new Error("an execution's id is not a valid file name");
  return join(dir, `${id}${suffix}`);
}

function toText(result: object): string {
  const text = JSON.stringify(result);
  return `{"crc32":${crc32(text)},"result":${text}}`;
}

function fromText(text: string): object {
  const head = /^\{"crc32":(\d+),"result":/.exec(text);
  if (head === null || !text.endsWith("}")) throw new Senseless("it is incomplete");
  const result = text.slice(head[0].length, -1);
  if (crc32(result) !== Number(head[1])) throw new Senseless("its checksum is wrong");
  return JSON.parse(result) as object; // written by this program: an object
}

/** A stored result: the job's id, and the body of the request that finishes it. */
export type PendingResult = {
  readonly job_id: string;
  readonly finish: NonNullable<RouteInput<typeof finishExecutionRoute>["body"]>;
};

const schema = z.object({ job_id: z.string(), finish: z.looseObject({ status: z.string() }) });

/** Parses a stored result; undefined when its form is wrong. The broker checks the rest. */
export function parsePendingResult(read: object): PendingResult | undefined {
  const parsed = schema.safeParse(read);
  return parsed.success ? (parsed.data as PendingResult) : undefined; // written by this program
}
