import { deleteOldRows } from "../retention/delete-old-rows.ts";
import type { Task } from "./task.ts";

/** Deletes spans and metrics whose time is over. */
export const deleteOldTelemetry: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "runner_job_spans", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_metric_points", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_telemetry", config.retainTelemetryDays, batches);
};
