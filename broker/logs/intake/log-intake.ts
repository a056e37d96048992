import type { Db } from "../../database/connect.ts";
import type { ConfirmExecution, NamedByRunner } from "../../executions/confirm-execution.ts";
import type { HotPath } from "../../limits/hot-path.ts";
import type { Log } from "../../log.ts";
import type { Metrics } from "../../metrics.ts";
import type { Refused } from "../../otlp/partial-success.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { Wakes } from "../../wake/wakes.ts";
import type { LogLimits } from "../log-settings.ts";
import type { LogEntry } from "../store/log-record.ts";
import { makeTidyStreams } from "../store/tidy-streams.ts";
import { makeAppendLogs } from "./append-logs.ts";
import { type CheckWriter, makeCheckWriter } from "./check-writer.ts";
import { type LogPace, makeLogPace } from "./log-pace.ts";
import type { LogRequest } from "./log-request.ts";
import { makeOrgUsage } from "./org-usage.ts";

/** Takes logs. The caller's right to write is checked before the body is read. */
export type LogIntake = LogPace & {
  readonly checkWriter: CheckWriter;
  /** Resolves when the records are committed, with those that were refused. `bytes` is what was charged. */
  readonly take: (
    actor: Actor,
    streamId: string,
    request: LogRequest & { readonly bytes: number },
  ) => Promise<Taken>;
  readonly stop: () => Promise<void>;
};

/** What was refused, and whether all was of executions of our agents that are known to be over. */
export type Taken = { readonly refused: Refused; readonly isOver: boolean };

type Parts = {
  readonly db: Db;
  readonly hotPath: HotPath;
  readonly wakes: Wakes;
  readonly log: Log;
  readonly limits: LogLimits;
  readonly confirm: ConfirmExecution;
  readonly metrics: Metrics;
};

/** How much may wait at this broker for the database. */
const mostWaitingBytes = 48 * 1024 * 1024;
/** What a broker needs to take logs. */
export function makeLogIntake(parts: Parts): LogIntake {
  const { db, hotPath, wakes, log, limits, confirm, metrics } = parts;
  const taken = metrics.counter("svc_log_records_total", "Log records accepted.");
  const bytesTaken = metrics.counter("svc_log_bytes_total", "Bytes of logs accepted.");
  const usage = makeOrgUsage(db, limits.orgBytesPerDay, log);
  const tidy = makeTidyStreams({ db, log, limits, isOverDay: usage.isOver });
  const append = makeAppendLogs({ hotPath, wakes, tidy });
  let waitingBytes = 0;
  const isFull = (): boolean => waitingBytes > mostWaitingBytes;
  const pace = makeLogPace({ limits, metrics, append, isFull });

  /** Each is confirmed by its records, over or not. */
  const areOver = (
    runner: Pick<NamedByRunner, "orgId" | "runnerId">,
    ids: Set<string>,
  ): boolean => {
    const known = [...ids].map((executionId) => confirm({ ...runner, executionId }));
    return known.length > 0 && known.every(Boolean);
  };

  return {
    checkWriter: makeCheckWriter(hotPath),
    ...pace,
    take: async (actor, streamId, { entries, refused, bytes }) => {
      const { orgId, runnerId } = actor;
      if (entries.length === 0) return { refused, isOver: false };
      waitingBytes += bytes;
      try {
        const named = withExecution(actor, entries);
        const late = await append({ orgId, streamId, entries: named });
        usage.add(orgId, bytes);
        taken.add({}, entries.length);
        bytesTaken.add({}, bytes);
        const isOver = runnerId !== null && areOver({ orgId, runnerId }, executionsOf(named));
        return { refused: late.reason === "" ? refused : late, isOver };
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

/** What a job's token writes belongs to its execution, whether or not it says so. */
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
