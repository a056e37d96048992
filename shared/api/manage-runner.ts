import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { idParam } from "./id-param.ts";
import { json, jsonBody } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { orderReason } from "./runner-process-shutdown.ts";

const tags = ["Runners"];
const params = z.object({ runner_id: idParam("runner_id", "run") });
const path = "/v1/runners/{runner_id}/mng";
const description = "It is a job of the group `management`, for the runner's management process.";
const body = jsonBody(
  z.strictObject({
    deadline: durationInput({ minNs: 60e9, maxNs: 24 * 3600e9 })
      .optional()
      .describe("When it is given up, even if it has not started. Default: 1 hour."),
    reason: orderReason.describe("Why; kept in the job's metadata."),
  }),
);
const responses = { 201: json(runnerJobSchema, "The management job.") };

export const shutDownRunnerVmRoute = createRoute({
  operationId: "shutDownRunnerVm",
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  method: "post",
  path: `${path}/shutdown-vm`,
  tags,
  summary: "Shut down a runner's machine",
  description,
  request: { params, body },
  responses,
});

export const shutDownManagedRunnerRoute = createRoute({
  operationId: "shutDownManagedRunner",
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  method: "post",
  path: `${path}/shutdown`,
  tags,
  summary: "Shut down a runner through its management process",
  description,
  request: { params, body },
  responses,
});

export const updateManagedRunnerRoute = createRoute({
  operationId: "updateManagedRunner",
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  method: "post",
  path: `${path}/update`,
  tags,
  summary: "Update a runner to the version its settings name",
  description,
  request: { params, body },
  responses,
});

export const restartManagedRunnerRoute = createRoute({
  operationId: "restartManagedRunner",
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  method: "post",
  path: `${path}/restart`,
  tags,
  summary: "Restart a runner through its management process",
  description,
  request: { params, body },
  responses,
});
