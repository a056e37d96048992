import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { jobParams } from "./read-runner-jobs.ts";
import { json } from "./response.ts";
import {
  runnerJobExecutionResultSchema,
  runnerJobExecutionSchema,
} from "./runner-job-execution.ts";

const tags = ["Jobs"];
const executionParams = jobParams.extend({ execution_id: idParam("execution_id", "exe") });

export const listExecutionsRoute = createRoute({
  operationId: "listExecutions",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/executions",
  tags,
  summary: "List the executions of a job",
  description: "Oldest first, with results, without contents and outputs.",
  request: { params: jobParams },
  responses: { 200: json(z.array(runnerJobExecutionSchema), "The executions.") },
});

export const getExecutionRoute = createRoute({
  operationId: "getExecution",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/executions/{execution_id}",
  tags,
  summary: "Read an execution",
  description:
    "With its result (without contents), its outputs and, for operators, reports that arrived too late to count.",
  request: { params: executionParams },
  responses: { 200: json(runnerJobExecutionSchema, "The execution.") },
});

export const getExecutionEndRoute = createRoute({
  operationId: "getExecutionEnd",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/executions/{execution_id}/end",
  tags,
  summary: "Check whether an execution is over",
  description:
    "Returns nothing else, so that a job's token can check whether another job of its runner still holds a lock.",
  request: { params: executionParams },
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

export const getResultRoute = createRoute({
  operationId: "getResult",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/executions/{execution_id}/result",
  tags,
  summary: "Read the result of an execution",
  description: "With its contents, up to 64 MiB. 404 when there is none.",
  request: { params: executionParams },
  responses: { 200: json(runnerJobExecutionResultSchema, "The result.") },
});
