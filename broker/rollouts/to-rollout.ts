import type { RolloutTarget } from "../../shared/api/rollouts.ts";
import type { RolloutTargetRow } from "./row.ts";

/** One of its processes as the API shows it. */
export function toRolloutTarget(row: RolloutTargetRow): RolloutTarget {
  const isOrdered = row.ordered_at !== null;
  return {
    runner_id: row.runner_id,
    process_id: row.process_id,
    shutdown_id: isOrdered ? row.shutdown_id : null,
    status: row.status,
    status_description: row.status_description,
    ordered_at: row.ordered_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
