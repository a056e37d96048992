import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { partRecords } from "./part-records.ts";
import { json } from "./response.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";

type Section = keyof typeof partRecords;

/** Parts of a config: what each is called in operations, in paths and in sentences. */
const rows = [
  ["inputs", "Input", "input", "inputs"],
  ["sandbox", "Sandbox", "sandbox", "sandbox"],
  ["runner", "Runner", "runner", "runner"],
  ["stack", "Stack", "stack", "stack"],
  ["permissions", "Permissions", "permissions", "roles"],
  ["break_glass", "BreakGlass", "break-glass", "roles of emergencies"],
  ["operation_roles", "OperationRole", "operation-role", "rules of which role an operation uses"],
  ["policies", "Policies", "policies", "policies"],
  ["secrets", "Secrets", "secrets", "secrets that installs are asked for"],
  ["metadata", "Metadata", "metadata", "metadata"],
  [
    "kubernetes_contexts",
    "KubernetesContexts",
    "kubernetes-contexts",
    "clusters that actions can name",
  ],
  ["trigger_rules", "TriggerRules", "trigger-rules", "trigger rules"],
] as const satisfies readonly (readonly [Section, string, string, string])[];

const app = "/v1/apps/{app_id}";
const common = {
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Apps"],
} as const;

/** Whether clients read a list where one part is asked for. */
export const isAlone = (section: Section): boolean => section === "operation_roles";
const oneOf = (section: Section): z.ZodObject => {
  const { schema } = partRecords[section];
  return isAlone(section) ? inTwoShapes(schema, z.array(schema)) : schema;
};

/** The routes that read a part: of the active config, of one config, and of all that are whole. */
const reads = rows.map(([section, name, path, what]) => ({
  section,
  latest: createRoute(`getLatestApp${name}Config`, {
    get: `${app}/latest-${path}-config`,
    ...common,
    summary: `Read the ${what} of the active config`,
    description:
      "404 `app_config_part_not_found` for an app without an active config, and for a config without this part.",
    responses: { 200: json(partRecords[section].schema, "The part.") },
  }),
  list: createRoute(`listApp${name}Configs`, {
    get: `${app}/${path}-configs`,
    ...common,
    summary: `List the ${what} of an app's configs`,
    description: `One for each config that is complete and has this part; an array may be shorter than \`limit\` while more follows. ${listingDescription} 422 where so many are too long for one answer.`,
    query: z.object({ ...listingQuery, ...createdQuery }),
    responses: { 200: json(listingOf(partRecords[section].schema), "The parts.") },
  }),
  get: createRoute(`getApp${name}Config`, {
    get: `${app}/${path}-configs/{app_config_id}`,
    ...common,
    summary: `Read the ${what} of one config`,
    description: `404 \`app_config_part_not_found\` where it has none.${isAlone(section) ? ` ${twoShapesText}` : ""}`,
    responses: { 200: json(oneOf(section), "The part.") },
  }),
}));

export const configPartReads = {
  reads,
  routes: reads.flatMap(({ latest, list, get }) => [latest, list, get]),
};
