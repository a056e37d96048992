import type { CompositeStatus } from "../../shared/api/composite-status.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { logStreamOf } from "../logs/store/row.ts";
import type { JobRow } from "./row.ts";

/** A job as the API shows it in lists; what only a single read shows is added by `readJob`. */
export function toRunnerJob(row: JobRow): RunnerJob {
  const finishedAt = row.finished_at;
  return {
    id: row.id,
    org_id: row.org_id,
    runner_id: row.runner_id,
    runner_process_id: row.process_id,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    type: row.type,
    group: row.job_group,
    operation: row.operation,
    status: row.status,
    status_description: descriptionOf(row),
    status_v2: statusOf(row),
    executor: "",
    queue_timeout: row.queue_timeout,
    available_timeout: row.available_timeout,
    execution_timeout: row.execution_timeout,
    overall_timeout: row.overall_timeout,
    max_executions: row.max_executions,
    execution_count: row.execution_count,
    execution_time: executionNs(row),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    final_runner_job_execution_id: finishedAt === null ? null : row.execution_id,
    log_stream_id: row.log_stream_id ?? logStreamOf(row.id),
    logs_complete: row.logs_complete,
    metadata: row.metadata,
    rerun_of: row.rerun_of,
    composite_error: row.composite_error,
    install_role_usage: null,
    created_at: row.created_at.toISOString(),
    updated_at: row.status_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

function statusOf(row: JobRow): CompositeStatus {
  return {
    status: row.status,
    status_human_description: descriptionOf(row),
    created_at_ts: row.status_at.getTime(),
    metadata: row.clock === null ? {} : { clock: row.clock },
    history: [],
  };
}

const openDescriptions: Partial<Record<JobRow["status"], string>> = {
  queued: "waits for a free slot",
  available: "waits for a process to take it",
  "in-progress": "a process has it",
};

function descriptionOf({ status, status_description: description }: JobRow): string {
  return description === "" ? (openDescriptions[status] ?? "") : description;
}

function executionNs({ started_at: startedAt, finished_at: finishedAt }: JobRow): number {
  if (startedAt === null || finishedAt === null) return 0;
  return (finishedAt.getTime() - startedAt.getTime()) * 1e6;
}
