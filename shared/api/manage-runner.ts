import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { orderReason } from "./runner-process-shutdown.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";

const tags = ["Runners"];
const path = "/v1/runners/{runner_id}/mng";
const description = "It is a job of the group `management`, for the runner's management process.";
const body = z.strictObject({
  deadline: durationInput({ minNs: 60e9, maxNs: 24 * 3600e9 })
    .optional()
    .describe("When it is given up, even if it has not started. Default: 1 hour."),
  reason: orderReason.describe("Why; kept in the job's metadata."),
});
const ordered = { 200: json(runnerJobSchema, "The management job.") };

export const shutDownRunnerVmRoute = createRoute("shutDownRunnerVm", {
  post: `${path}/shutdown-vm`,
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  tags,
  summary: "Shut down a runner's machine",
  description,
  body,
  responses: ordered,
});

export const shutDownManagedRunnerRoute = createRoute("shutDownManagedRunner", {
  post: `${path}/shutdown`,
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  tags,
  summary: "Shut down a runner through its management process",
  description,
  body,
  responses: ordered,
});

export const updateManagedRunnerRoute = createRoute("updateManagedRunner", {
  post: `${path}/update`,
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  tags,
  summary: "Update a runner to the version its settings name",
  description: `${description} ${twoShapesText}`,
  body,
  responses: {
    201: json(
      inTwoShapes(runnerJobSchema, z.literal(true)),
      "The management job, or `true`: it is ordered.",
    ),
  },
});

export const restartManagedRunnerRoute = createRoute("restartManagedRunner", {
  post: `${path}/restart`,
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "job",
    operatesRunner: true,
  },
  tags,
  summary: "Restart a runner through its management process",
  description,
  body,
  responses: ordered,
});
