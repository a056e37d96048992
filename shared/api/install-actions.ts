import { z } from "@hono/zod-openapi";
import { actionRuns, actionRunStepSchema, actionSchema } from "./actions.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { installs } from "./install.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";

const tags = ["Actions"];
const base = "/v1/installs/{install_id}/actions";
const reading = { surface: "control-plane", permission: "installs.read" } as const;
const params = installs.params.extend({ action_id: idParam("action_id", "act") });

const installActionSchema = z
  .object({
    action: actionSchema,
    latest_run: actionRuns.itemSchema.nullable(),
  })
  .openapi("InstallAction");

export const listLatestRunsRoute = createRoute({
  operationId: "listLatestRuns",
  rule: reading,
  method: "get",
  path: `${base}/latest-runs`,
  tags,
  summary: "List the latest run of each action in an install",
  request: { params: installs.params },
  responses: { 200: json(z.array(actionRuns.itemSchema), "Runs, by the names of their actions.") },
});

export const getInstallActionRoute = createRoute({
  operationId: "getInstallAction",
  rule: reading,
  method: "get",
  path: `${base}/{action_id}`,
  tags,
  summary: "Read an action of an install, with its latest run",
  request: { params },
  responses: { 200: json(installActionSchema, "The action.") },
});

export const listRecentRunsRoute = createRoute({
  operationId: "listRecentRuns",
  rule: reading,
  method: "get",
  path: `${base}/{action_id}/recent-runs`,
  tags,
  summary: "List the runs of an action in an install",
  description: listingDescription,
  request: { params, query: z.object(listingQuery) },
  responses: { 200: json(listingOf(actionRuns.itemSchema), "Runs.") },
});

export const getActionOutputsRoute = createRoute({
  operationId: "getActionOutputs",
  rule: reading,
  method: "get",
  path: `${base}/{action_id}/outputs`,
  tags,
  summary: "Read what an action gave last in an install",
  description: "The outputs of its newest run that finished; empty before the first.",
  request: { params },
  responses: { 200: json(z.record(z.string(), z.unknown()), "Outputs, by name.") },
});

export const getActionRunStepRoute = createRoute({
  operationId: "getActionRunStep",
  rule: reading,
  method: "get",
  path: `${base}/runs/{run_id}/steps/{step_id}`,
  tags,
  summary: "Read a step of a run of an action",
  request: {
    params: installs.params.extend({
      run_id: idParam("run_id", "awr"),
      step_id: z
        .string()
        .max(128)
        .describe("One of the run's `steps`.")
        .openapi({ param: { name: "step_id", in: "path" } }),
    }),
  },
  responses: { 200: json(actionRunStepSchema, "The step.") },
});
