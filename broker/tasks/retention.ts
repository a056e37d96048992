import { deleteArtifacts as deleteFromRegistry } from "../retention/delete-artifacts.ts";
import { deleteByOrg as deleteForOrgs } from "../retention/delete-by-org.ts";
import { deleteDeadProcesses } from "../retention/delete-dead-processes.ts";
import { deleteDeletedQueues } from "../retention/delete-deleted-queues.ts";
import { deleteDoneEmitters } from "../retention/delete-done-emitters.ts";
import { deleteOldJobs as deleteJobs } from "../retention/delete-old-jobs.ts";
import { deleteOldRows } from "../retention/delete-old-rows.ts";
import { deleteOldSignals as deleteSignals } from "../retention/delete-old-signals.ts";
import { deleteOldStats as deleteStats } from "../retention/delete-old-stats.ts";
import { deleteOldWorkflows as deleteWorkflows } from "../retention/delete-old-workflows.ts";
import { deleteUnusedSources } from "../retention/delete-unused-sources.ts";
import { deleteOldStreams, dropOldLogs } from "../retention/drop-old-logs.ts";
import { dropOldAttempts } from "../retention/drop-old-partitions.ts";
import { endOldConfigs } from "../retention/end-old-configs.ts";
import { forgetFormerSecrets } from "../retention/forget-former-secrets.ts";
import { tidyBuilds } from "../retention/tidy-builds.ts";
import { tidyStates as tidy } from "../retention/tidy-states.ts";
import type { Task } from "./task.ts";

/** Deletes jobs, workflows and emitters that ended long enough ago, and reports of policies of then. */
export const deleteOldJobs: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteJobs(db, config.retainJobsDays, { signal, batch: 500 });
  if (deleted > 0) log.info({ deleted }, "old jobs were deleted");
  const workflows = await deleteWorkflows(db, config.retainJobsDays, { signal, batch: 100 });
  if (workflows > 0) log.info({ deleted: workflows }, "old workflows were deleted");
  await deleteDoneEmitters(db, config.retainJobsDays, { signal, batch: 500 });
  await deleteOldRows(db, "policy_reports", config.retainJobsDays, { signal, batch: 100 });
  await deleteOldRows(db, "policy_evaluations", 1, { signal, batch: 500 });
};

/** Longer than an open build asks for them. */
const deletionDays = 8;

/** Begins to delete builds that nothing has needed for a day. */
export const deleteOldBuilds: Task = async ({ db, config, log }, { signal }) => {
  const tidied = await tidyBuilds(db, config.keepBuilds, { signal, batch: 500 });
  if (tidied.marked + tidied.taken_back + tidied.deleted > 0)
    log.info(tidied, "builds that nothing needs were looked through");
  await deleteOldRows(db, "artifact_deletions", deletionDays, { signal, batch: 500 });
};

/** Deletes the artifacts of builds that go from the registry, and then these builds. */
export const deleteArtifacts: Task = async ({ db, config, seals, log }, { signal }) => {
  const came = await deleteFromRegistry({ db, config, seals }, signal);
  if (Object.keys(came).length > 0) log.info(came, "artifacts that nothing needs were deleted");
};

/** Deletes signals that ended long enough ago, and then what is left of queues that were deleted. */
export const deleteOldSignals: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteSignals(db, config.retainSignalsDays, { signal, batch: 500 });
  if (deleted > 0) log.info({ deleted }, "old signals were deleted");
  await deleteDeletedQueues(db, config.retainSignalsDays, { signal, batch: 500 });
};

/** A workflow counts its events for as long as one can wait for something. */
const longestWorkflowDays = 400;

/** Deletes old events with their deliveries, the days of their attempts, and what is left of webhooks that were deleted; forgets former secrets, and ends configs of parts that are a day old. */
export const deleteOldEvents: Task = async ({ db, config, log }, { signal }) => {
  const days = config.retainEventsDays;
  const dropped = await dropOldAttempts(db, days);
  const deleted = await deleteOldRows(db, "events", days, { signal, batch: 500 });
  await deleteOldRows(db, "event_sequences", longestWorkflowDays, { signal, batch: 5000 });
  await forgetFormerSecrets(db, { signal, batch: 500 });
  await endOldConfigs(db, { signal, batch: 500 });
  await deleteOldRows(db, "webhooks", days + 1, { signal, batch: 500 });
  if (dropped + deleted > 0) log.info({ dropped, deleted }, "old events were deleted");
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

/** Deletes old status histories, idempotency keys after a day, and what browsers were signed in by, once it is over. */
export const deleteOldHistory: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "status_history", config.retainHistoryDays, batches);
  await deleteOldRows(db, "runner_rollouts", config.retainHistoryDays, batches);
  await deleteOldRows(db, "runner_job_enqueue_keys", 1, batches);
  await deleteOldRows(db, "queue_signal_keys", 1, batches);
  await deleteOldRows(db, "idempotency_keys", 0, batches);
  await deleteOldRows(db, "dashboard_sessions", 0, { signal, batch: 500 });
};

/** Deletes what orgs keep for a shorter time than the broker does. */
export const deleteByOrg: Task = async ({ db, log }, { signal }) => {
  const deleted = await deleteForOrgs(db, { signal });
  if (Object.keys(deleted).length > 0) log.info({ deleted }, "old things of orgs were deleted");
};

/** Deletes old figures of charts. */
export const deleteOldStats: Task = async ({ db, config, log }, { signal }) => {
  const deleted = await deleteStats(db, config.retainStatsDays, { signal, batch: 5000 });
  log.debug({ deleted }, "old stats were deleted");
};

/** Deletes old spans and metrics. */
export const deleteOldTelemetry: Task = async ({ db, config }, { signal }) => {
  const batches = { signal, batch: 5000 };
  await deleteOldRows(db, "runner_job_spans", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_metric_points", config.retainTelemetryDays, batches);
  await deleteOldRows(db, "runner_telemetry", config.retainTelemetryDays, batches);
};

/** Deletes the parts of states that cannot be read any more, and sources of builds that no config names. */
export const tidyStates: Task = async ({ db, config, log }, { signal }) => {
  const kept = {
    revisions: config.keepStateRevisions,
    deletedDays: config.retainDeletedWorkspacesDays,
  };
  const deleted = await tidy(db, kept, { signal, batch: 50 });
  if (deleted > 0) log.info({ deleted }, "old states were deleted");
  const sources = await deleteUnusedSources(db, { signal, batch: 50 });
  if (sources > 0) log.info({ sources }, "sources that no config names were deleted");
};
