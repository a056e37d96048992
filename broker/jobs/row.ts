import { z } from "zod";
import {
  runnerJobGroups,
  runnerJobOperations,
  runnerJobTypeNames,
} from "../../shared/runner-job-types.ts";
import { runnerJobStatuses } from "../../shared/runner-job.ts";

/** A row of `runner_jobs`: what never changes. */
export const jobFactsRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  job_group: z.enum(runnerJobGroups),
  type: z.enum(runnerJobTypeNames),
  operation: z.enum(runnerJobOperations),
  owner_id: z.string(),
  owner_type: z.string(),
  metadata: z.record(z.string(), z.string()),
  queue_timeout: z.number(),
  available_timeout: z.number(),
  execution_timeout: z.number(),
  overall_timeout: z.number(),
  max_executions: z.number(),
  stop_grace: z.number(),
  changes_things: z.boolean(),
  rerun_of: z.string().nullable(),
  log_stream_id: z.string().nullable(),
  /** Of a job of a workflow. */
  workflow_step_id: z.string().nullish(),
  created_at: z.date(),
  created_by_id: z.string(),
});

/** Where a job stands, from its live row or its end, whichever there is. */
const jobStateRow = z.object({
  status: z.enum(runnerJobStatuses),
  /** Empty where the status says it all. */
  status_description: z.string(),
  status_at: z.date(),
  execution_count: z.number(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
  /** Which clock ended it. */
  clock: z.enum(["execution_timeout", "overall_timeout"]).nullable(),
  /** The current execution, or the final one. */
  execution_id: z.string().nullable(),
  process_id: z.string().nullable(),
  composite_error: z.record(z.string(), z.unknown()).nullable(),
  logs_complete: z.boolean(),
});

/** A job as it is read: facts and state in one row. */
export type JobRow = z.infer<typeof jobFactsRow> & z.infer<typeof jobStateRow>;

/** One of a job's moves, as its history shows it. */
export type MoveRow = {
  readonly seq: number;
  readonly event: string;
  readonly to_status: string;
  readonly execution_id: string | null;
  readonly description: string;
  readonly at: Date;
};
