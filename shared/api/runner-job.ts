import { z } from "@hono/zod-openapi";
import {
  runnerJobGroups,
  runnerJobOperations,
  type RunnerJobType,
  runnerJobTypeNames,
} from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { compositeErrorSchema } from "./composite-error.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { installRoleUsages } from "./install-role-usages.ts";
import { runnerJobExecutionSchema } from "./runner-job-execution.ts";
import { waitingSchema } from "./why-waiting.ts";

const instant = z.iso.datetime();
const nanoseconds = z.int().describe("Nanoseconds.");

/** What a job is to do, as it was enqueued. */
export const runnerJobPlanSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_job_id: z.string(),
    plan_json: z.string().describe("The plan's JSON as it was sent; `{}` when there is none."),
    composite_plan: z.null().describe("Deprecated: the plan is in `plan_json`."),
  })
  .openapi("RunnerJobPlan");

/** A job: its facts, where it stands, and how it ended. Members marked so are there only when one job is read. */
export const runnerJobSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_id: z.string(),
    runner_process_id: z
      .string()
      .nullable()
      .describe("The process that has or had its last execution."),
    owner_id: z.string(),
    owner_type: z.string(),
    type: z.enum(runnerJobTypeNames),
    group: z.enum(runnerJobGroups),
    operation: z.enum(runnerJobOperations),
    status: z.enum(runnerJobStatuses),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    executor: z.string(),
    queue_timeout: nanoseconds,
    available_timeout: nanoseconds,
    execution_timeout: nanoseconds.positive(),
    overall_timeout: nanoseconds,
    max_executions: z.int(),
    execution_count: z.int(),
    execution_time: nanoseconds.describe("From the first claim to the end; 0 before the end."),
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    final_runner_job_execution_id: z.string().nullable(),
    log_stream_id: z.string().nullable(),
    logs_complete: z.boolean(),
    metadata: z.record(z.string(), z.string()),
    rerun_of: z.string().nullable(),
    composite_error: compositeErrorSchema
      .nullable()
      .optional()
      .describe(
        "The error of the execution that decided the job, or of the broker if it ended the job. Accounts get it in the shape of CompositeErrorData, and it is left out where there is none; runners get what was reported, or null.",
      ),
    install_role_usage: installRoleUsages.itemSchema
      .nullable()
      .optional()
      .describe("As whom it runs; only when one job of an install is read. Runners get null."),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
    outputs: z.record(z.string(), z.unknown()).optional().describe("Only when one job is read."),
    outputs_json: z
      .string()
      .optional()
      .describe("The outputs' JSON as it was sent, in standard base64; only when one job is read."),
    executions: z.array(runnerJobExecutionSchema).optional().describe("Only when one job is read."),
    json: runnerJobPlanSchema.optional().describe("Only with `include=plan`."),
    waiting: waitingSchema
      .nullable()
      .optional()
      .describe("Only when one job is read; null when it does not wait."),
  })
  .openapi("RunnerJob");
export type RunnerJob = z.infer<typeof runnerJobSchema> & { type: RunnerJobType };
