import { problem } from "../../shared/problem.ts";
import type { LogLimits } from "../config.ts";
import type { Db } from "../database/connect.ts";
import type { ConfirmExecution } from "../executions/confirm-execution.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Wakes } from "../wake/wakes.ts";
import { type AppendLogs, makeAppendLogs } from "./append-logs.ts";
import { makeByteBuckets } from "./byte-buckets.ts";
import { type CheckWriter, makeCheckWriter } from "./check-writer.ts";
import type { LogEntry } from "./log-record.ts";
import type { LogRequest, Refused } from "./log-request.ts";
import { makeOrgUsage } from "./org-usage.ts";
import { makeTidyStreams } from "./tidy-streams.ts";

/** The way into log streams; who may write is asked first, before the body is read. */
export type LogIntake = {
  readonly checkWriter: CheckWriter;
  /** Call before the body is read: 429 when the stream or the org sends too fast, 503 when too much waits here. */
  readonly admit: (actor: Actor, streamId: string) => void;
  /**
   * Call when it is known what the request costs, which the next ones wait for. What is refused for its size costs its
   * stream alone: the org's other streams do not wait for it.
   */
  readonly charge: (actor: Actor, streamId: string, cost: RequestCost) => void;
  /** Resolves when the records are committed. `bytes` is what was charged. */
  readonly take: (
    actor: Actor,
    streamId: string,
    request: LogRequest & { readonly bytes: number },
  ) => Promise<Refused>;
  readonly stop: () => Promise<void>;
};

type RequestCost = { readonly bytes: number; readonly isRefused: boolean };

type Parts = {
  readonly db: Db;
  readonly wakes: Wakes;
  readonly log: Log;
  readonly limits: LogLimits;
  readonly confirm: ConfirmExecution;
  readonly metrics: Metrics;
};

/** So much may wait at this broker for the database. */
const mostWaitingBytes = 48 * 1024 * 1024;
/** A request costs its stream as much at least, whatever becomes of it. */
const leastBytes = 1024;

/** What a broker needs to take logs. */
export function makeLogIntake(parts: Parts): LogIntake {
  const { db, wakes, log, limits, confirm, metrics } = parts;
  const taken = metrics.counter("svc_log_records_total", "Log records that were taken.");
  const bytesTaken = metrics.counter("svc_log_bytes_total", "Bytes of logs that were taken.");
  const slowed = metrics.counter("svc_log_slowed_total", "Log requests that came too fast.");
  const usage = makeOrgUsage(db, limits.orgBytesPerDay, log);
  const tidy = makeTidyStreams({ db, log, limits, isOverDay: usage.isOver });
  const append = makeAppendLogs({ db, wakes, tidy });
  const ofStream = makeByteBuckets(limits.streamBytesPerS);
  const ofOrg = makeByteBuckets(limits.orgBytesPerS);
  const tellSlowed = makeTellSlowed(append);
  let waitingBytes = 0;

  return {
    checkWriter: makeCheckWriter(db),
    admit: ({ orgId }, streamId) => {
      if (waitingBytes > mostWaitingBytes) {
        slowed.add({ limit: "broker" });
        throw problem.unavailable("Too many logs wait to be written just now.", 1);
      }
      const streamS = ofStream.take(streamId, leastBytes);
      const waitS = streamS > 0 ? streamS : ofOrg.take(orgId, leastBytes);
      if (waitS === 0) return;
      slowed.add({ limit: streamS > 0 ? "stream" : "org" });
      const perS = streamS > 0 ? limits.streamBytesPerS : limits.orgBytesPerS;
      const whose = streamS > 0 ? "This log stream" : "The log streams of this org";
      const words = `${whose} may take ${perS} bytes a second.`;
      tellSlowed(orgId, streamId, words);
      throw problem.tooMany(words, waitS, "logs_too_fast");
    },
    charge: ({ orgId }, streamId, { bytes, isRefused }) => {
      const more = Math.max(0, bytes - leastBytes);
      ofStream.charge(streamId, more);
      ofOrg.charge(orgId, isRefused ? -leastBytes : more);
    },
    take: async (actor, streamId, { entries, refused, bytes }) => {
      const { orgId, runnerId } = actor;
      if (entries.length === 0) return refused;
      waitingBytes += bytes;
      try {
        const named = withExecution(actor, entries);
        const late = await append({ orgId, streamId, entries: named });
        usage.add(orgId, bytes);
        taken.add({}, entries.length);
        bytesTaken.add({}, bytes);
        if (runnerId !== null) {
          for (const id of executionsOf(named)) confirm({ orgId, runnerId, executionId: id });
        }
        return late.count === 0 ? refused : late;
      } finally {
        waitingBytes -= bytes;
      }
    },
    stop: async () => {
      await tidy.stop();
      await usage.stop();
    },
  };
}

/** What a job's token writes is of its execution, said or not. */
function withExecution({ executionId }: Actor, entries: readonly LogEntry[]): readonly LogEntry[] {
  if (executionId === null || entries.every((entry) => entry.executionId !== undefined)) {
    return entries;
  }
  return entries.map((entry) =>
    entry.executionId === undefined ? { ...entry, executionId } : entry,
  );
}

function executionsOf(entries: readonly LogEntry[]): Set<string> {
  const ids = new Set<string>();
  for (const { executionId } of entries) if (executionId !== undefined) ids.add(executionId);
  return ids;
}

const tellEveryMs = 60_000;
const mostTold = 5_000;

/** Leaves a notice in a stream whose sender is slowed, once a minute. */
function makeTellSlowed(
  append: AppendLogs,
): (orgId: OrgId, streamId: string, words: string) => void {
  const told = new Map<string, number>();
  return (orgId, streamId, words) => {
    const nowMs = performance.now();
    if ((told.get(streamId) ?? -Infinity) > nowMs - tellEveryMs) return;
    if (told.size >= mostTold) told.clear();
    told.set(streamId, nowMs);
    const notice = {
      atUs: Date.now() * 1000,
      severity: 13,
      body: `svc: ${words} Its sender is slowed down; what it holds back comes later.`,
      resource: {},
      attributes: { "svc.notice": "slowed" },
    };
    // A stream that is closed or gone needs no notice.
    append({ orgId, streamId, entries: [notice] }).catch(() => {});
  };
}
