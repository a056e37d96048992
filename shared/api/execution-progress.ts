import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { instantInput } from "./instant.ts";
import { json } from "./response.ts";

/** The words of actions' steps. */
export const progressStatuses = [
  "pending",
  "in-progress",
  "finished",
  "error",
  "timed-out",
] as const;

/** So many steps of an execution are kept. */
export const mostSteps = 500;
const mostAtOnce = 200;
const mostDetail = 500;

const stepSchema = z.object({
  name: z.string(),
  status: z.enum(progressStatuses),
  detail: z.string(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
});

/** How far an execution is. */
export const executionProgressSchema = z
  .object({
    steps: z.array(stepSchema).describe("In the order in which they were first reported."),
    is_full: z.boolean().describe("Some steps were not kept because there were too many."),
    updated_at: z.iso.datetime(),
  })
  .openapi("RunnerJobExecutionProgress");
export type ExecutionProgress = z.infer<typeof executionProgressSchema>;

const stepInput = z.object({
  name: z.string().min(1).max(200),
  status: z.enum(progressStatuses),
  detail: cutText(mostDetail).nullish(),
  started_at: instantInput.nullish().describe("When it was first reported, unless it is pending."),
  ended_at: instantInput.nullish().describe("When its end was first reported."),
});
export type StepInput = z.output<typeof stepInput>;

export const reportProgressRoute = createRoute("reportProgress", {
  post: "/v1/runner-jobs/{job_id}/executions/{execution_id}/progress",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true },
  tags: ["Runner protocol"],
  summary: "Report the progress of an execution",
  description:
    `Steps are identified by name: a new report replaces the one before. At most ${mostSteps} are kept; beyond that ` +
    "only known steps are updated, and `is_full` is true. Progress is informational and accepted until ten minutes after the end.",
  body: z.object({ steps: z.array(stepInput).max(mostAtOnce) }),
  responses: {
    200: json(z.object({ steps: z.int(), is_full: z.boolean() }), "Number of steps that are kept."),
  },
});
