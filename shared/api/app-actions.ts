import { z } from "@hono/zod-openapi";
import { actionSchema } from "./actions.ts";
import { appConfigStatuses } from "./app-configs.ts";
import { nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { labelsInput } from "./labels-input.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { someWords } from "./some-words.ts";

const tags = ["Actions"];
const base = "/v1/apps/{app_id}/actions";
const path = `${base}/{action_id}` as const;

const reading = { surface: "control-plane", permission: "apps.read" } as const;
const writing = { surface: "control-plane", permission: "apps.write" } as const;

const configMembers = {
  id: z.string(),
  action_workflow_id: z.string(),
  app_id: z.string(),
  app_config_id: z.string(),
  app_config_version: z.int(),
  status: z.enum(appConfigStatuses).describe("Of the app's config."),
  created_at: z.iso.datetime(),
};
const actionConfigSchema = z.object(configMembers).openapi("ActionWorkflowConfig");
export type ActionConfig = z.infer<typeof actionConfigSchema>;
export const wholeActionConfigSchema = z
  .looseObject(configMembers)
  .openapi("WholeActionWorkflowConfig");
export type WholeActionConfig = z.infer<typeof wholeActionConfigSchema>;

export const listActionsRoute = createRoute("listActions", {
  get: base,
  rule: reading,
  tags,
  summary: "List the actions of an app",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    ...createdQuery,
    name: z.string().max(63).optional().describe("Exactly this, where `-` and `_` are equal."),
    q: z.string().max(255).optional().describe("A part of the name."),
    trigger_types: someWords("Those that the active config begins so"),
    labels: z
      .string()
      .max(4096)
      .optional()
      .describe("`k:v,k2:v2,k3`: all of them; without a value, or with `*`, the key exists."),
  }),
  responses: { 200: json(listingOf(actionSchema), "Actions.") },
});

export const getActionRoute = createRoute("getAction", {
  get: path,
  rule: reading,
  tags,
  summary: "Read an action",
  responses: { 200: json(actionSchema, "The action.") },
});

export const updateActionRoute = createRoute("updateAction", {
  patch: path,
  rule: writing,
  tags,
  summary: "Change an action",
  description:
    "`labels` replaces its own; 422 `label_locked` for keys that the active config gives. 409 `action_in_use`, with the configs that use it, if it is renamed while the active config or an install's config has it; 409 `name_taken`.",
  body: z
    .strictObject({ name: nameShape, labels: labelsInput })
    .partial()
    .openapi("ActionChanges", { example: { labels: { team: "web" } } }),
  responses: { 201: json(actionSchema, "The action.") },
});

export const deleteActionRoute = createRoute("deleteAction", {
  delete: path,
  rule: writing,
  tags,
  summary: "Delete an action",
  description:
    "409 `action_in_use`, with the configs that use it, while the active config or an install's config has it. Its runs are kept.",
  responses: { 200: json(actionSchema, "The action, as it was.") },
});

export const mergeActionLabelsRoute = createRoute("mergeActionLabels", {
  post: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Set labels of an action",
  description: "The others stay. 422 `label_locked` for keys that the active config gives.",
  body: z.strictObject({ labels: labelsInput }),
  responses: { 200: json(actionSchema, "The action.") },
});

export const removeActionLabelsRoute = createRoute("removeActionLabels", {
  delete: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Remove labels of an action",
  description: "422 `label_locked` for keys that the active config gives.",
  body: z.strictObject({ keys: z.array(z.string().max(63)).min(1).max(64) }),
  responses: { 200: json(actionSchema, "The action.") },
});

export const listActionConfigsRoute = createRoute("listActionConfigs", {
  get: `${path}/configs`,
  rule: reading,
  tags,
  summary: "List the configs of an action",
  description: `One for each config of the app that has or had it. ${listingDescription}`,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(actionConfigSchema), "Configs, without their members.") },
});

const configDescription =
  "With its members, as its file has them (docs/app-config-files.md); `kubernetes_context_name` is `kubernetes_context`, `enable_kube_config` is `{bool, valid}`.";

export const getActionConfigVersionRoute = createRoute("getActionConfigVersion", {
  get: `${path}/configs/{action_config_id}`,
  rule: reading,
  tags,
  summary: "Read a config of an action",
  description: configDescription,
  responses: { 200: json(wholeActionConfigSchema, "The config.") },
});

export const getActionConfigOfAppRoute = createRoute("getActionConfigOfApp", {
  get: `${base}/configs/{action_config_id}`,
  rule: reading,
  tags,
  summary: "Read a config of one of an app's actions",
  description: configDescription,
  responses: { 200: json(wholeActionConfigSchema, "The config.") },
});

export const getLatestActionConfigRoute = createRoute("getLatestActionConfig", {
  get: `${path}/latest-config`,
  rule: reading,
  tags,
  summary: "Read what the active config says of an action",
  description: `${configDescription} 404 \`action_config_not_found\` where the active config has it not.`,
  responses: { 200: json(wholeActionConfigSchema, "The config.") },
});
