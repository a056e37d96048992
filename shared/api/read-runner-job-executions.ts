import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import {
  runnerJobExecutionResultSchema,
  runnerJobExecutionSchema,
} from "./runner-job-execution.ts";

const tags = ["Jobs"];

export const listExecutionsRoute = createRoute("listExecutions", {
  get: "/v1/runner-jobs/{job_id}/executions",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "List the executions of a job",
  description: "Oldest first, with results, without contents and outputs.",
  responses: { 200: json(z.array(runnerJobExecutionSchema), "The executions.") },
});

export const getExecutionRoute = createRoute("getExecution", {
  get: "/v1/runner-jobs/{job_id}/executions/{execution_id}",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "Read an execution",
  description:
    "With its result (without contents), its outputs and, for operators, reports that arrived too late to count.",
  responses: { 200: json(runnerJobExecutionSchema, "The execution.") },
});

export const getExecutionEndRoute = createRoute("getExecutionEnd", {
  get: "/v1/runner-jobs/{job_id}/executions/{execution_id}/end",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true },
  tags,
  summary: "Check whether an execution is over",
  description:
    "Returns nothing else, so that a job's token can check whether another job of its runner still holds a lock.",
  responses: {
    200: json(
      z
        .object({
          finished_at: z.iso.datetime().nullable().describe("null while it is not over."),
        })
        .openapi("RunnerJobExecutionEnd"),
      "When it ended.",
    ),
  },
});

export const getResultRoute = createRoute("getResult", {
  get: "/v1/runner-jobs/{job_id}/executions/{execution_id}/result",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "Read the result of an execution",
  description: "With its contents, up to 64 MiB. 404 when there is none.",
  responses: { 200: json(runnerJobExecutionResultSchema, "The result.") },
});
