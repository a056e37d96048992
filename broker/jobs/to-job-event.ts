import type { JobEvent } from "../../shared/api/follow-runner-jobs.ts";
import type { JobEventRow } from "./list-events.ts";

/** A job's move as the API shows it. */
export function toJobEvent(row: JobEventRow): JobEvent {
  return {
    id: `${row.tx}-${row.n}`,
    org_id: row.org_id,
    runner_job_id: row.runner_job_id,
    runner_id: row.runner_id,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    type: row.type,
    group: row.job_group,
    event: row.event,
    from_status: row.from_status === "" ? null : row.from_status,
    to_status: row.to_status,
    runner_job_execution_id: row.execution_id,
    description: row.description,
    at: row.at.toISOString(),
  };
}
