import { deleteDeadProcesses } from "../retention/delete-dead-processes.ts";
import { deleteDoneEmitters } from "../retention/delete-done-emitters.ts";
import { deleteOldJobs as deleteJobs } from "../retention/delete-old-jobs.ts";
import { deleteOldRows } from "../retention/delete-old-rows.ts";
import { deleteOldSignals as deleteSignals } from "../retention/delete-old-signals.ts";
import { deleteOldStreams, dropOldLogs } from "../retention/drop-old-logs.ts";
import { tidyStates as tidy } from "../retention/tidy-states.ts";
import type { Task } from "./task.ts";

/** Deletes jobs and emitters that ended long enough ago. */
export const deleteOldJobs: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteJobs(db, config.retainJobsDays, { signal, batch: 500 });
  if (deleted > 0) log.info({ deleted }, "old jobs were deleted");
  await deleteDoneEmitters(db, config.retainJobsDays, { signal, batch: 500 });
};

/** Deletes signals that ended long enough ago. */
export const deleteOldSignals: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteSignals(db, config.retainSignalsDays, { signal, batch: 500 });
  if (deleted > 0) log.info({ deleted }, "old signals were deleted");
};

/** Deletes old heartbeat minutes, health checks and ended processes. */
export const deleteOldBeats: Task = async ({ db, config, log }, { signal }) => {
  const days = config.retainBeatsDays;
  const minutes = await deleteOldRows(db, "runner_beat_minutes", days, { signal, batch: 10_000 });
  const checks = await deleteOldRows(db, "runner_health_checks", days, { signal, batch: 5000 });
  const processes = await deleteDeadProcesses(db, days, { signal, batch: 200 });
  log.debug({ minutes, checks, processes }, "old beats were deleted");
};

/** Drops old days of logs and streams of which nothing is left; creates the partitions of coming days. */
export const deleteOldLogs: Task = async ({ db, config, log }, { signal }) => {
  const days = await dropOldLogs(db, config.retainLogsDays);
  const streams = await deleteOldStreams(db, config.retainLogsDays, { signal, batch: 1000 });
  if (days + streams > 0) log.info({ days, streams }, "old logs were deleted");
};

/** Deletes old status histories, and idempotency keys after a day. */
export const deleteOldHistory: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "status_history", config.retainHistoryDays, batches);
  await deleteOldRows(db, "runner_job_enqueue_keys", 1, batches);
  await deleteOldRows(db, "queue_signal_keys", 1, batches);
  await deleteOldRows(db, "idempotency_keys", 0, batches);
};

/** Deletes old spans and metrics. */
export const deleteOldTelemetry: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "runner_job_spans", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_metric_points", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_telemetry", config.retainTelemetryDays, batches);
};

/** Deletes the parts of states that cannot be read any more. */
export const tidyStates: Task = async ({ db, config, log }, { signal }) => {
  const kept = {
    revisions: config.keepStateRevisions,
    deletedDays: config.retainDeletedWorkspacesDays,
  };
  const deleted = await tidy(db, kept, { signal, batch: 50 });
  if (deleted > 0) log.info({ deleted }, "old states were deleted");
};
