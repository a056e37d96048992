import { z } from "@hono/zod-openapi";
import { executionStatuses } from "../runner-job-execution.ts";
import { compositeErrorSchema } from "./composite-error.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { executionProgressSchema } from "./execution-progress.ts";

const words = z.record(z.string(), z.string());
const bytes = z.string().describe("Standard base64.");

/** What an execution came to: data, it decides nothing. Contents only where the result itself is asked for. */
export const runnerJobExecutionResultSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_job_execution_id: z.string(),
    success: z.boolean(),
    error_code: z.int(),
    error_metadata: words,
    composite_error: compositeErrorSchema
      .nullable()
      .optional()
      .describe("Accounts get none, runners null, where there is none."),
    contents: z.string().optional(),
    contents_display: z.string().optional(),
    contents_gzip: bytes.optional(),
    contents_display_gzip: bytes.optional(),
    created_at: z.iso.datetime(),
  })
  .openapi("RunnerJobExecutionResult");
export type RunnerJobExecutionResult = z.infer<typeof runnerJobExecutionResultSchema>;

/** What an execution hands on to whoever asked for the job. */
export const runnerJobExecutionOutputsSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_job_execution_id: z.string(),
    outputs: z.record(z.string(), z.unknown()),
    outputs_json: z.string().describe("The outputs' JSON as it was sent, in standard base64."),
    created_at: z.iso.datetime(),
  })
  .openapi("RunnerJobExecutionOutputs");
export type RunnerJobExecutionOutputs = z.infer<typeof runnerJobExecutionOutputsSchema>;

/** A report that came too late, or contradicted an earlier one: it is kept and changes nothing. */
export const lateEvidenceSchema = z
  .object({
    kind: z.enum(["status", "result", "outputs"]),
    body: z.unknown(),
    reason: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("RunnerJobExecutionEvidence");
export type LateEvidence = z.infer<typeof lateEvidenceSchema>;

/** One execution of a job. */
export const runnerJobExecutionSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_job_id: z.string(),
    runner_id: z.string(),
    runner_process_id: z.string().nullable(),
    status: z.enum(executionStatuses),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    ended_by: z.enum(["client", "broker"]).nullable(),
    metadata: words,
    deadline_at: z.iso.datetime(),
    confirmed_at: z.iso.datetime().nullable().describe("When its process first confirmed it."),
    finished_at: z.iso.datetime().nullable(),
    logs_complete: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    progress: executionProgressSchema
      .nullable()
      .optional()
      .describe(
        "Present when one execution is read, and for the last execution when a job is read.",
      ),
    result: z.union([runnerJobExecutionResultSchema, z.null()]).optional(),
    outputs: z.union([runnerJobExecutionOutputsSchema, z.null()]).optional(),
    evidence: z.array(lateEvidenceSchema).optional(),
  })
  .openapi("RunnerJobExecution");
export type RunnerJobExecution = z.infer<typeof runnerJobExecutionSchema>;
