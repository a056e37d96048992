import { z } from "@hono/zod-openapi";
import { actionRuns, actionRunStepSchema, actionSchema } from "./actions.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { installs } from "./install.ts";
import { labelsQuery } from "./label-keys.ts";
import { listingQuery, partQuery } from "./listing.ts";
import { pageOf } from "./page.ts";
import { json } from "./response.ts";
import { someWords } from "./some-words.ts";
import { truth } from "./truth.ts";

const tags = ["Actions"];
const base = "/v1/installs/{install_id}/actions";
const reading = { surface: "control-plane", permission: "installs.read" } as const;

const installAction = {
  id: z.string().describe("The action's."),
  install_id: z.string(),
  action_workflow_id: z.string().describe("The same."),
  created_at: z.iso.datetime(),
};
const installActionSchema = z
  .object({
    ...installAction,
    action: actionSchema,
    action_workflow: actionSchema.describe("The same."),
    latest_run: actionRuns.itemSchema.optional().describe("Once it ran."),
  })
  .openapi("InstallActionWorkflow");
const recentRunsSchema = z
  .object({ ...installAction, runs: z.array(actionRuns.itemSchema) })
  .openapi("InstallActionRuns");

export const listLatestRunsRoute = createRoute("listLatestRuns", {
  get: `${base}/latest-runs`,
  rule: reading,
  tags,
  summary: "List the latest run of each action in an install",
  query: z.object({
    ...partQuery,
    q: z.string().max(255).optional().describe("A part of the action's name."),
    labels: labelsQuery.describe("Of the action."),
    trigger_types: someWords("What began the run"),
    synced: truth.optional().describe("Whether the app's active config has the action."),
  }),
  responses: { 200: json(z.array(actionRuns.itemSchema), "Runs, by the names of their actions.") },
});

export const getInstallActionRoute = createRoute("getInstallAction", {
  get: `${base}/{action_id}`,
  rule: reading,
  tags,
  summary: "Read an action of an install, with its latest run",
  responses: { 200: json(installActionSchema, "The action.") },
});

export const listRecentRunsRoute = createRoute("listRecentRuns", {
  get: `${base}/{action_id}/recent-runs`,
  rule: reading,
  tags,
  summary: "List the runs of an action in an install",
  description:
    "Newest first. Without `cursor`: `runs`, of which `limit` and `offset` (or `page`) choose a part; `X-Svc-Page-Next` says whether there is more. With `cursor` (empty for the first page): `items` and `next_cursor`.",
  query: z.object(listingQuery),
  responses: {
    200: json(z.union([recentRunsSchema, pageOf(actionRuns.itemSchema)]), "Its runs."),
  },
});

export const getActionOutputsRoute = createRoute("getActionOutputs", {
  get: `${base}/{action_id}/outputs`,
  rule: reading,
  tags,
  summary: "Read what an action gave last in an install",
  description: "The outputs of its newest run that finished; empty before the first.",
  responses: { 200: json(z.record(z.string(), z.unknown()), "Outputs, by name.") },
});

export const getActionRunStepRoute = createRoute("getActionRunStep", {
  get: `${base}/runs/{run_id}/steps/{step_id}`,
  rule: reading,
  tags,
  summary: "Read a step of a run of an action",
  params: installs.params.extend({
    run_id: idParam("run_id", "awr"),
    step_id: z
      .string()
      .max(128)
      .describe("One of the run's `steps`.")
      .openapi({ param: { name: "step_id", in: "path" } }),
  }),
  responses: { 200: json(actionRunStepSchema, "The step.") },
});
