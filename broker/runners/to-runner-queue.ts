import type { RunnerQueue } from "../../shared/api/runner.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { QueueWithUse } from "./queries.ts";

/** One job group of a runner as the API shows it. */
export function toRunnerQueue(row: QueueWithUse): RunnerQueue {
  const available = Math.max(0, row.in_use - row.in_progress - row.stopping); // the counts are not of the same instant
  return {
    id: `${row.runner_id}:${row.job_group}`,
    org_id: row.org_id,
    name: row.job_group,
    owner_id: row.runner_id,
    owner_type: "runner",
    max_depth: row.max_depth,
    max_in_flight: row.parallelism,
    idle_timeout: 0,
    metadata: {},
    status_v2: toCompositeStatus({
      status: row.held === null ? "active" : "disabled",
      description: row.held ?? `${row.in_use} of ${row.slots} slots in use`,
      at: row.created_at,
    }),
    workflow: null,
    emitters: [],
    queue_signal: [],
    paused: row.held === "runner paused" || row.held === "group paused",
    held: row.held,
    depth: row.waiting + available,
    in_flight: row.in_progress,
    available,
    stopping: row.stopping,
    offered: row.offered,
    slots: row.slots,
    created_at: row.created_at.toISOString(),
  };
}
