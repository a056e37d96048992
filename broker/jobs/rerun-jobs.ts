import { createHash } from "node:crypto";
import { Problem } from "../../shared/problem.ts";
import type { JobFilter } from "./job-filter.ts";
import { listMatchingIds } from "./list-jobs.ts";
import { type Rerun, rerunJob, type RerunningBroker } from "./rerun-job.ts";

export type JobsToRerun = Omit<Rerun, "jobId"> & {
  readonly filter: JobFilter;
  readonly limit: number;
  /** Only jobs before this one, in the order from the newest to the oldest. */
  readonly before?: string | undefined;
};
export type RerunJobs = {
  readonly enqueued: number;
  readonly refused: readonly { runner_job_id: string; code: string; detail: string }[];
  /** The last job that was looked at, where others follow. */
  readonly nextBefore: string | null;
};

/**
 * Enqueues the matching jobs again, each by itself, the newest first. What is refused of one, as a full queue, does not keep
 * the others back.
 */
export async function rerunJobs(
  broker: RerunningBroker,
  { filter, limit, before, actor, key }: JobsToRerun,
): Promise<RerunJobs> {
  const ids = await listMatchingIds(broker.db, actor.orgId, filter, { before, limit: limit + 1 });
  const refused: RerunJobs["refused"][number][] = [];
  const asked = ids.slice(0, limit);
  for (const jobId of asked) {
    try {
      await rerunJob(broker, { jobId, actor, key: key && keyOf(key, jobId) });
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      const detail = error.errors[0]?.detail ?? error.message;
      refused.push({ runner_job_id: jobId, code: error.code, detail });
    }
  }
  return {
    enqueued: asked.length - refused.length,
    refused,
    nextBefore: ids.length > limit ? (asked.at(-1) ?? null) : null,
  };
}

/** A key for each job, so that the same request makes each once. */
function keyOf(key: string, jobId: string): string {
  return createHash("sha256").update(`${key}\0${jobId}`).digest("base64url");
}
