import type { LocalContext } from "../local-context.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** How an execution ended here: the status that is reported, and the reason that its result has. */
export type End = { readonly status: string; readonly reason?: string | undefined };

/** The job was given back to the broker. */
export const givenBack: End = { status: "given-back" };
/** The broker no longer wants a result. */
export const abandoned: End = { status: "abandoned", reason: "the broker no longer wants it" };
/** An earlier process of the agent ended it; its result waits on disk. */
export const reportedBefore: End = { status: "told-before" };

/** The end that a result states. */
export function endOf({ finish }: PendingResult): End {
  return { status: finish.status, reason: finish.result?.error_metadata?.["reason"] };
}

type Ended = Pick<StoredExecution, "execution_id" | "started_at_ms"> & {
  readonly job: { readonly id: string; readonly type: string };
};

/** Records the end of an execution in the agent's log and metrics; once, when nothing of it is left. */
export function recordEnd(
  { log, jobMetrics }: Pick<LocalContext, "log" | "jobMetrics">,
  { job, execution_id, started_at_ms }: Ended,
  { status, reason }: End,
): void {
  const durationMs = Math.max(0, Date.now() - started_at_ms);
  const ids = { job_id: job.id, execution_id, type: job.type };
  if (status !== reportedBefore.status) jobMetrics.add({ type: job.type, status, durationMs });
  log.info(
    { ...ids, status, duration_ms: durationMs, ...(reason !== undefined && { reason }) },
    "ended",
  );
}
