import { z } from "@hono/zod-openapi";
import { executionEnds, executionStatuses, type ExecutionEnd } from "../runner-job-execution.ts";
import { runnerJobGroups } from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { base64Input } from "./base64.ts";
import { compositeErrorInput, errorMetadataInput } from "./composite-error.ts";
import { createRoute } from "./create-route.ts";
import { cutText, mostStatusDescription } from "./cut-text.ts";
import { pollInput } from "./poll-jobs.ts";
import { json } from "./response.ts";
import {
  runnerJobExecutionOutputsSchema,
  runnerJobExecutionResultSchema,
  runnerJobExecutionSchema,
} from "./runner-job-execution.ts";

const ends = Object.keys(executionEnds) as [ExecutionEnd, ...ExecutionEnd[]]; // its own keys
/** Cut rather than refused: a runner must be able to say that it failed, however much it has to say. */
const description = cutText(mostStatusDescription);
const contents = z
  .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .transform((given) => (typeof given === "string" ? given : JSON.stringify(given)));

/** What an execution came to. Absent booleans and numbers mean false and 0. */
export const resultInput = z
  .object({
    success: z.boolean().nullish(),
    error_code: z.int().min(-2_147_483_648).max(2_147_483_647).nullish(),
    error_metadata: errorMetadataInput.nullish(),
    composite_error: compositeErrorInput.nullish(),
    contents: contents.nullish(),
    contents_display: contents.nullish(),
    contents_compressed: base64Input.nullish(),
    contents_display_compressed: base64Input.nullish(),
  })
  .openapi("NewRunnerJobExecutionResult");
export type ResultInput = z.infer<typeof resultInput>;

const outputsInput = z.record(z.string(), z.unknown()).nullish();
const lastRecord = z
  .int()
  .min(0)
  .nullish()
  .describe("The number of the execution's last log record.");
const executionPath = "/v1/runner-jobs/{job_id}/executions/{execution_id}";
const tags = ["Runner protocol"];

export const updateExecutionRoute = createRoute("updateExecution", {
  patch: executionPath,
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, ownPermit: true },
  tags,
  summary: "Report the status of an execution",
  description:
    "Statuses may be skipped but never go back. Repeating the current status changes nothing. 409 for a different final " +
    "status and for an execution that the broker ended.",
  body: z.object({ status: z.enum(executionStatuses), status_description: description.optional() }),
  responses: { 200: json(runnerJobExecutionSchema, "The execution.") },
});

export const createResultRoute = createRoute("createResult", {
  post: `${executionPath}/result`,
  rule: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "64 MiB",
    ownPermit: true,
  },
  tags,
  summary: "Store the result of an execution",
  description: "The first result counts. A different later one is stored as late evidence.",
  body: resultInput,
  responses: { 201: json(runnerJobExecutionResultSchema, "What was received.") },
});

export const createOutputsRoute = createRoute("createOutputs", {
  post: `${executionPath}/outputs`,
  rule: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "16 MiB",
    ownPermit: true,
  },
  tags,
  summary: "Store the outputs of an execution",
  body: z.object({ outputs: outputsInput }),
  responses: { 201: json(runnerJobExecutionOutputsSchema, "What was received.") },
});

/** The next poll of the process whose execution is finished. */
const claimInput = z
  .object({
    process_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("By default the execution's. For another one nothing is claimed."),
    group: z
      .enum(runnerJobGroups)
      .optional()
      .describe("One job of this group, in place of `groups`."),
    ...pollInput.shape,
  })
  .refine(({ group, groups }) => group === undefined || groups === undefined, {
    path: ["group"],
    params: { code: "one_of" },
    message: "Give either group or groups.",
  });
export type CarriedClaim = z.output<typeof claimInput>;

const finishInput = z.object({
  status: z.enum(ends),
  status_description: description.optional(),
  result: resultInput.optional(),
  outputs: outputsInput,
  last_record: lastRecord,
  claim: claimInput
    .nullish()
    .describe("Makes the request the process's next poll, too. A job's token may not claim."),
});

const finishedSchema = z
  .object({ execution: runnerJobExecutionSchema, job_status: z.enum(runnerJobStatuses) })
  .openapi("FinishedExecution");

export const finishExecutionRoute = createRoute("finishExecution", {
  post: `${executionPath}/finish`,
  rule: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    maxBody: "64 MiB",
    ownPermit: true,
  },
  tags,
  summary: "Report result, outputs and end of an execution in one call",
  description:
    "With `claim`, the process polls for jobs by the same request: the answer is NDJSON of two lines. The first is what the answer is " +
    "without `claim`, sent once the end is stored. The second is the answer of a claim: jobs, orders and the time; it comes when there is " +
    "something, or when `wait` is over. It has `problem` in place of them where the poll was refused; the execution is finished all the " +
    "same. A finish that is refused claims nothing. Repeated with its `poll_id` within 30 s it answers the same executions.",
  body: finishInput,
  responses: {
    200: {
      description: "The execution, and the status of the job after it.",
      content: {
        "application/json": { schema: finishedSchema },
        "application/x-ndjson": { schema: z.string() },
      },
    },
  },
});

export const giveBackExecutionRoute = createRoute("giveBackExecution", {
  post: `${executionPath}/give-back`,
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, ownPermit: true },
  tags,
  summary: "Give back a job that was not started",
  description: "Only while the execution is pending or initializing. The execution does not count.",
  body: z.object({}),
  responses: { 200: json(finishedSchema, "The execution, and the status of the job.") },
});

const mostReports = 100;
export const reportExecutionsRoute = createRoute("reportExecutions", {
  post: "/v1/runners/{runner_id}/reports",
  rule: { surface: "runner", permission: "runner.protocol", maxBody: "64 MiB" },
  tags,
  summary: "Report on many executions at once",
  description: "Each report is handled on its own and answered like a single request.",
  body: z.object({
    reports: z
      .array(
        z.object({
          execution: z.string().max(64).describe("The execution's id."),
          status: z.enum(executionStatuses).optional(),
          status_description: description.nullish(),
          give_back: z.boolean().nullish(),
          result: z.union([resultInput, z.null()]).optional(),
          outputs: outputsInput,
          last_record: lastRecord,
        }),
      )
      .max(mostReports),
  }),
  responses: {
    200: json(
      z.object({
        reports: z.array(
          z.object({
            execution: z.string(),
            status: z.int().describe("The HTTP status that a single request would have."),
            execution_status: z.enum(executionStatuses).nullable(),
            job_status: z.enum(runnerJobStatuses).nullable(),
            code: z.string().optional(),
            detail: z.string().optional(),
          }),
        ),
      }),
      "One answer for each report, in order.",
    ),
  },
});
