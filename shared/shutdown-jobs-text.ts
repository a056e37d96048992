import type { ProcessShutdown } from "./api/runner-process-shutdown.ts";

const words = [
  ["running", "still running"],
  ["finished", "finished"],
  ["stopped", "stopped by the order"],
  ["failed", "failed"],
  ["cancelled", "cancelled"],
  ["not_attempted", "given back"],
] as const;

/** What became of the jobs that a process ran when it was ordered to shut down: "3 jobs: 2 finished, 1 stopped by the order". */
export function shutdownJobsText({
  jobs,
  metadata,
}: Pick<ProcessShutdown, "jobs" | "metadata">): string {
  const count = Number(metadata["running_jobs"] ?? 0);
  if (count === 0) return "no job ran";
  const parts = words
    .filter(([name]) => jobs[name] > 0)
    .map(([name, word]) => `${jobs[name]} ${word}`);
  return `${count === 1 ? "1 job" : `${count} jobs`}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}
