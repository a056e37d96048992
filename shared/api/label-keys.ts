import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

/** The query by which lists of what has labels are narrowed. */
export const labelsQuery = z
  .string()
  .max(4096)
  .optional()
  .describe("`k:v,k2=v2,k3`: all of them; without a value, or with `*`, the key exists.");

/** How many keys are answered, and how many values of each. */
export const labelKeyLimits = { keys: 200, values: 100 } as const;

const description = `The keys that are in use, with their values, both in order: at most ${labelKeyLimits.keys} keys, and the first ${labelKeyLimits.values} values of each.`;
const responses = {
  200: json(z.record(z.string(), z.array(z.string())), "Values, by their keys."),
};

export const listInstallLabelKeysRoute = createRoute("listInstallLabelKeys", {
  get: "/v1/installs/label-keys",
  rule: { surface: "control-plane", permission: "installs.read", bound: true },
  tags: ["Installs"],
  summary: "List the keys of installs' labels, with their values",
  description,
  query: z.object({ app_id: z.string().max(64).optional().describe("Of which app's installs.") }),
  responses,
});

export const listActionLabelKeysRoute = createRoute("listActionLabelKeys", {
  get: "/v1/apps/{app_id}/actions/label-keys",
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Actions"],
  summary: "List the keys of labels of an app's actions, with their values",
  description,
  responses,
});

export const listComponentLabelKeysRoute = createRoute("listComponentLabelKeys", {
  get: "/v1/apps/{app_id}/components/label-keys",
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Components"],
  summary: "List the keys of labels of an app's components, with their values",
  description,
  responses,
});

/** Colors of keys that an app gives none. */
export const defaultLabelColors = [
  "#4c78a8",
  "#f58518",
  "#54a24b",
  "#e45756",
  "#72b7b2",
  "#b279a2",
  "#eeca3b",
  "#9d755d",
] as const;

export const labelledKinds = ["install", "component", "action", "runbook"] as const;

const labelsSchema = z
  .object({
    labels: z.array(
      z
        .object({
          key: z.string(),
          values: z.array(z.string()),
          entity_types: z.array(z.enum(labelledKinds)).describe("What has the key."),
          usage_count: z.int().describe("How many of them have it."),
          color: z.string(),
          default_color: z.string().describe("Where the app gives it none."),
          is_override: z.boolean().describe("Whether the app gives it one."),
        })
        .openapi("AppLabelKeySummary"),
    ),
    label_colors: z
      .record(z.string(), z.string())
      .describe("Colors that the app's active config gives to keys."),
    default_colors: z.array(z.string()),
  })
  .openapi("AppLabelsResponse");
export type AppLabels = z.infer<typeof labelsSchema>;

export const listAppLabelsRoute = createRoute("listAppLabels", {
  get: "/v1/apps/{app_id}/labels",
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Apps"],
  summary: "List the keys of labels of an app's installs, components, actions and runbooks",
  description: `With their values and colors, in the order of the keys: at most ${labelKeyLimits.keys} keys, and the first ${labelKeyLimits.values} values of each.`,
  responses: { 200: json(labelsSchema, "Keys of labels.") },
});

export const listAppLabelKeysRoute = createRoute("listAppLabelKeys", {
  get: "/v1/apps/label-keys",
  rule: { surface: "control-plane", permission: "apps.read", bound: true },
  tags: ["Apps"],
  summary: "List the keys of the labels that apps give their installs, with their values",
  description,
  responses,
});
