import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Tables whose rows nothing refers to that is not deleted with them; the instant that their age is counted from. */
export const ages = {
  runner_beat_minutes: "minute_bucket",
  runner_health_checks: "created_at",
  status_history: "at",
  runner_job_enqueue_keys: "created_at",
  idempotency_keys: "expires_at",
  dashboard_sessions: "expires_at",
  queue_signal_keys: "created_at",
  runner_rollouts: "updated_at",
  runner_job_spans: "created_at",
  runner_metric_points: "updated_at",
  runner_telemetry: "updated_at",
  events: "created_at",
  event_sequences: "last_at",
  webhooks: "deleted_at",
  policy_reports: "evaluated_at",
  policy_evaluations: "created_at",
  artifact_deletions: "ended_at",
} as const;

/** Deletes rows older than a number of days; returns how many. */
export async function deleteOldRows(
  db: Db,
  table: keyof typeof ages,
  days: number,
  batches: Batches,
): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const deleted = await db`
      delete from ${db(table)}
       where ctid = any(array(select ctid from ${db(table)}
                               where ${db(ages[table])} < svc_now() - make_interval(days => ${days})
                               limit ${limit}))`;
    return deleted.count;
  });
}
