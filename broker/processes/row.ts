import { z } from "zod";
import { type ProcessShutdown, shutdownTypes } from "../../shared/api/runner-process-shutdown.ts";
import { runnerStatuses } from "../../shared/api/runner.ts";
import { runnerProcessTypes } from "../../shared/process-groups.ts";
import { runnerJobGroups } from "../../shared/runner-job-types.ts";
import { processStatuses, shutdownStatuses } from "../../shared/runner-process.ts";

/** A row of `runner_processes`. */
export const processRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  type: z.enum(runnerProcessTypes),
  version: z.string(),
  is_ours: z.boolean(),
  serves: z.partialRecord(z.enum(runnerJobGroups), z.number()).nullable(),
  secret_digest: z.instanceof(Buffer).nullable(),
  status: z.enum(processStatuses),
  status_description: z.string(),
  status_at: z.date(),
  draining: z.enum(shutdownTypes).nullable(),
  going_away_at: z.date().nullable(),
  must_register_anew: z.boolean(),
  takes_no_jobs: z.string().nullable(),
  binds_plans: z.boolean(),
  reads_plans: z.number().nullable(),
  taken_over_by: z.string().nullable(),
  started_at: z.date(),
  first_beat_at: z.date().nullable(),
  deadline_at: z.date().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  next_restart_at: z.date().nullable(),
  previous_restart_at: z.date().nullable(),
});

/** A process with the time of its last sign of life and the time of the read. */
export type ProcessRow = Omit<z.infer<typeof processRow>, "secret_digest"> & {
  readonly last_seen_at: Date;
  readonly read_at: Date;
};

/** A row of `runner_process_shutdowns`. */
export const processShutdownRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  runner_process_id: z.string(),
  type: z.enum(shutdownTypes),
  status: z.enum(shutdownStatuses),
  status_description: z.string(),
  reason: z.string(),
  metadata: z.record(z.string(), z.string()),
  deadline_at: z.date().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
  execution_ids: z.array(z.string()),
});

/** A shutdown with what became of the jobs that its process ran. */
export type ProcessShutdownRow = Omit<z.infer<typeof processShutdownRow>, "execution_ids"> & {
  readonly jobs: ProcessShutdown["jobs"];
};

/** A row of `runner_health_checks`. */
export const healthCheckRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  process: z.string(),
  process_id: z.string().nullable(),
  minute_bucket: z.date(),
  status: z.enum(runnerStatuses),
  status_code: z.number(),
  runner_job_id: z.string().nullable(),
  created_at: z.date(),
});
export type HealthCheckRow = z.infer<typeof healthCheckRow>;
