import type { RunnerUpdate } from "../../shared/api/runner-updates.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { JobRow } from "../jobs/row.ts";
import { toRunnerJob } from "../jobs/to-runner-job.ts";

const courses = {
  queued: "requested",
  available: "requested",
  "in-progress": "in-progress",
  finished: "completed",
  failed: "failed",
  "timed-out": "failed",
  "not-attempted": "failed",
  cancelled: "cancelled",
} as const satisfies Record<RunnerJobStatus, RunnerUpdate["status"]>;

/** The order that a management job carries out. */
export function toRunnerUpdate(row: JobRow): RunnerUpdate {
  const isLate = row.status === "cancelled" && row.clock === "overall_timeout";
  const deadline = new Date(row.created_at.getTime() + row.overall_timeout / 1e6);
  return {
    job_id: row.id,
    runner_id: row.runner_id,
    version: row.metadata["version"] ?? "",
    image: row.metadata["image"] ?? "",
    status: isLate ? "failed" : courses[row.status],
    status_description: isLate
      ? "Its deadline passed before it was done."
      : toRunnerJob(row).status_description,
    reason: row.metadata["reason"] ?? "",
    deadline_at: row.finished_at === null ? deadline.toISOString() : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.status_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}
