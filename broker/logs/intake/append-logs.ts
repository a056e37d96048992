import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { type Problem, problem } from "../../../shared/problem.ts";
import { makeBatcher } from "../../database/batcher.ts";
import type { Db } from "../../database/connect.ts";
import { isRefusal } from "../../database/database-errors.ts";
import type { HotPath } from "../../limits/hot-path.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Refused } from "../../otlp/partial-success.ts";
import { topics, type Wakes } from "../../wake/wakes.ts";
import type { LogEntry } from "../store/log-record.ts";
import { listSequenceParts } from "../store/queries.ts";
import type { LogSequenceRow } from "../store/row.ts";
import type { TidyStreams } from "../store/tidy-streams.ts";
import type { StreamHead } from "./number-records.ts";
import { wantedParts } from "./open-sequences.ts";
import { type PreparedAppend, prepareAppend } from "./prepare-append.ts";
import { writeAppends, type WrittenAppend } from "./write-appends.ts";

export type LogAppend = {
  readonly orgId: OrgId;
  readonly streamId: string;
  readonly entries: readonly LogEntry[];
};

/**
 * Adds records to a stream; resolves when they are committed, with those that were refused. Rejects with 404 or 409
 * when the stream does not exist or is closed; a request without new records is accepted even then.
 */
export type AppendLogs = (append: LogAppend) => Promise<Refused>;

type Parts = { readonly db: Db; readonly wakes: Wakes; readonly tidy: TidyStreams };
type HotParts = Omit<Parts, "db"> & { readonly hotPath: HotPath };

/** Two brokers that write to one stream may collide once or twice; after that a random delay decides who is first. */
const mostRounds = 20;
const pauseMs = 5;

/** Requests that arrive together, for any streams, share a statement. */
export function makeAppendLogs({ hotPath, ...parts }: HotParts): AppendLogs {
  const heads = makeHeads();
  const write = (db: Db, appends: readonly LogAppend[]) => flush({ ...parts, db, heads }, appends);
  return makeBatcher((appends: readonly LogAppend[]) => write(hotPath.db, appends), {
    max: 256,
    separate: hotPath.separate(write),
  });
}

type Flush = Parts & { readonly heads: Heads };
type Results = Map<LogAppend, Refused | Error>;

async function flush(parts: Flush, appends: readonly LogAppend[]): Promise<(Refused | Error)[]> {
  const results: Results = new Map();
  await settleGroups(parts, byStream(appends), results);
  return appends.map((append) => results.get(append) ?? new Error("an append was forgotten"));
}

/** When the database refuses a value, nothing was written: only the append with that value fails. */
async function settleGroups(
  parts: Flush,
  given: readonly Group[],
  results: Results,
): Promise<void> {
  let groups = given;
  try {
    for (let round = 0; groups.length > 0; round++) {
      if (round === mostRounds)
        throw problem.unavailable("Too many senders write to this log stream. Try again later.", 1);
      if (round > 1) await pause(Math.random() * pauseMs * round);
      groups = await writeGroups(parts, groups, results);
    }
  } catch (error) {
    const smaller = isRefusal(error) ? split(groups) : [];
    for (const group of smaller) await settleGroups(parts, [group], results);
    if (smaller.length > 0) return;
    // Whether these were written is unknown, so their cached state may be wrong. The others of the flush are done.
    for (const { key, appends: unknown } of groups) {
      parts.heads.forget(key);
      for (const append of unknown) results.set(append, asError(error));
    }
  }
}

/** The appends of a group as groups of their own, to be tried alone; none for a group of one. */
function split(groups: readonly Group[]): readonly Group[] {
  const [first] = groups;
  if (groups.length > 1 || first === undefined) return groups;
  return first.appends.length === 1
    ? []
    : first.appends.map((append) => ({ ...first, appends: [append] }));
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Returns the groups to try again. */
async function writeGroups(
  parts: Flush,
  groups: readonly Group[],
  results: Results,
): Promise<Group[]> {
  const prepared = await Promise.all(
    groups.map(async (group): Promise<PreparedGroup> => {
      const before = parts.heads.get(group.key);
      const requests = group.appends.map(({ entries }) =>
        group.lateExecution === undefined ? entries : entries.map(asLate),
      );
      const stored = await storedParts(parts.db, group, before);
      return { ...group, before, prepared: await prepareAppend(before, requests, stored) };
    }),
  );
  // Records that a cached stream already has need no statement.
  const fresh = prepared.filter((group) => group.prepared.chunks.length > 0);
  const written = fresh.length === 0 ? [] : await writeAppends(parts.db, fresh);
  const outcomes = new Map(fresh.map((group, at) => [group, written[at]]));
  return prepared.flatMap((group) => {
    const result = outcomes.get(group) ?? { outcome: "known" };
    const refusal = settle(parts, group, result);
    if (refusal === "again") return group;
    const lateExecution = refusal && maybeLate(group, refusal);
    if (lateExecution !== undefined) return { ...group, lateExecution };
    const taken = group.lateExecution === undefined ? none : late;
    for (const [at, append] of group.appends.entries()) {
      const isRefused = refusal !== undefined && group.prepared.isNew[at] === true;
      results.set(append, isRefused ? refusal : ofBoth(group.prepared.refused[at], taken));
    }
    return [];
  });
}

/** The one execution of all records: if the broker ended it while it ran, its stream still takes them. */
function maybeLate({ appends, lateExecution }: Group, refusal: Problem): string | undefined {
  if (refusal.code !== closedCode || lateExecution !== undefined) return undefined;
  const ids = new Set(appends.flatMap(({ entries }) => entries.map((entry) => entry.executionId)));
  const [id] = ids;
  return ids.size === 1 ? id : undefined;
}

const asLate = (entry: LogEntry): LogEntry => ({ ...entry, late: true });

function ofBoth(refused: Refused | undefined, taken: Refused): Refused {
  return refused === undefined || refused.count === 0 ? taken : refused;
}

/** The parts outside the stream's row that are needed: nearly always none. */
async function storedParts(
  db: Db,
  { orgId, streamId, appends }: Group,
  { sequences }: StreamHead,
): Promise<LogSequenceRow[]> {
  const wanted = wantedParts(
    sequences,
    appends.map(({ entries }) => entries),
  );
  return wanted === undefined ? [] : listSequenceParts(db, orgId, { streamId, ...wanted });
}

/** Updates the cache with the outcome of an append; returns why its new records are refused, if they are. */
function settle(
  { heads, wakes, tidy }: Flush,
  { key, orgId, streamId, before, prepared }: PreparedGroup,
  result: WrittenAppend | { readonly outcome: "known" },
): Problem | "again" | undefined {
  if (result.outcome === "known") return undefined;
  if (result.outcome === "ok") {
    heads.set(key, { ...prepared.head, version: before.version + 1 });
    wakes.notify([topics.logs(streamId)]);
    tidy.look({ orgId, streamId, bytes: result.bytes, looseChunks: result.looseChunks });
    return undefined;
  }
  if (result.outcome === "not-found") {
    heads.forget(key);
    return problem.notFound("log stream");
  }
  const { version, next_position, sequences } = result.stream;
  heads.set(key, { version, next_position, sequences });
  const wasKnown = version === before.version;
  return result.outcome === "closed" && wasKnown ? closed() : "again";
}

/** The cached state of streams; a wrong entry is corrected by the next append. */
const mostHeads = 20_000;
const mostHeadsBytes = 64 * 1024 * 1024;
const empty: StreamHead = { version: 0, next_position: 1, sequences: {} };

type Heads = {
  readonly get: (key: string) => StreamHead;
  readonly set: (key: string, head: StreamHead) => void;
  readonly forget: (key: string) => void;
};

function makeHeads(): Heads {
  const heads = new LRUCache<string, StreamHead>({
    max: mostHeads,
    maxSize: mostHeadsBytes,
    sizeCalculation: bytesOfHead,
  });
  return {
    get: (key) => heads.get(key) ?? empty,
    set: (key, head) => void heads.set(key, head),
    forget: (key) => void heads.delete(key),
  };
}

/** A head names an execution for each of its senders, and each gap in their numbers. */
function bytesOfHead({ sequences }: StreamHead): number {
  let gaps = 0;
  const all = Object.values(sequences);
  for (const sequence of all) gaps += sequence.gaps?.length ?? 0;
  return 512 + all.length * 256 + gaps * 64;
}

const none: Refused = { count: 0, reason: "" };
/** Nothing is refused; the agent is told that its records came late. */
const late: Refused = {
  count: 0,
  reason: "The execution of these records has ended. They are kept and marked as late.",
};

type Group = {
  readonly key: string;
  readonly orgId: OrgId;
  readonly streamId: string;
  readonly appends: readonly LogAppend[];
  /** The stream has closed, and all of this is of an execution that may be late. */
  readonly lateExecution?: string;
};
type PreparedGroup = Group & { readonly before: StreamHead; readonly prepared: PreparedAppend };

function byStream(appends: readonly LogAppend[]): Group[] {
  const groups = new Map<string, Group & { appends: LogAppend[] }>();
  for (const append of appends) {
    const { orgId, streamId } = append;
    const key = `${orgId} ${streamId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, orgId, streamId, appends: [append] });
    else group.appends.push(append);
  }
  return [...groups.values()];
}

const closedCode = "log_stream_closed";
const closed = (): Problem =>
  problem.conflict(closedCode, "The log stream is closed. No more records can be added.");
