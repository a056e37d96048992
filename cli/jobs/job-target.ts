import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { isFinal, type RunnerJobStatus, runnerJobStatuses } from "../../shared/runner-job.ts";

/** What a job can be waited for: an end of any kind, a good one, its begin, or any status. */
export const jobTargets = ["ended", "succeeded", "running", ...runnerJobStatuses] as const;
export type JobTarget = (typeof jobTargets)[number];

const statusByWord = {
  succeeded: "finished",
  running: "in-progress",
} as const satisfies Partial<Record<JobTarget, RunnerJobStatus>>;

/** Whether the job is or was there, will never be, or may still come to it. */
export type Standing = "reached" | "missed" | "open";

/** Where a job stands that is waited for. What it was counts: between two looks it may have moved on. */
export function standingOf(job: RunnerJob, target: JobTarget): Standing {
  const hasEnded = isFinal(job.status);
  if (target === "ended") return hasEnded ? "reached" : "open";
  const status = statusOf(target);
  const isThere =
    job.status === status || job.status_v2.history.some((was) => was.status === status);
  if (isThere) return "reached";
  return hasEnded ? "missed" : "open";
}

/** Whether only an end can bring it. */
export function isEnd(target: JobTarget): boolean {
  return target === "ended" || isFinal(statusOf(target));
}

function statusOf(target: Exclude<JobTarget, "ended">): RunnerJobStatus {
  return target === "succeeded" || target === "running" ? statusByWord[target] : target;
}
