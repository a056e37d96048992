import { z } from "@hono/zod-openapi";
import { componentTypes } from "../component-types.ts";
import { imageUpdateStatuses } from "../image-update-statuses.ts";
import { nameShape } from "./app.ts";
import { componentBuilds } from "./builds.ts";
import { componentConfigRecord } from "./component-config-record.ts";
import { createRoute } from "./create-route.ts";
import { labelsQuery } from "./label-keys.ts";
import { labelsInput } from "./labels-input.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { namedPartMembers } from "./named-part-members.ts";
import { componentFilters, partFilters } from "./part-filters.ts";
import { json } from "./response.ts";
import { ofComponent } from "./said-members.ts";

const tags = ["Components"];
const base = "/v1/apps/{app_id}/components";
const path = `${base}/{component_id}` as const;
const reading = { surface: "control-plane", permission: "apps.read" } as const;
const writing = { surface: "control-plane", permission: "apps.write" } as const;

const imageUpdateSchema = z
  .object({
    policy: z.string().describe("Its `update_policy`."),
    status: z
      .enum(imageUpdateStatuses)
      .describe(
        "Of the last look. `pending`: there was none by this config; `current`: nothing is newer than the newest artifact; `new`: `build_id` builds what was found; `tried`: that build did not make it, and no other begins for this digest; `failed`: `status_description` says why it could not be looked at.",
      ),
    status_description: z.string(),
    tag: z.string().describe("That the policy meant then; empty before it was seen."),
    digest: z.string().describe("Of that tag."),
    build_id: z.string().nullable().describe("The build of this digest."),
    looked_at: z.string().nullable(),
    looking: z.boolean().describe("It is being looked at."),
    emitter_id: z
      .string()
      .nullable()
      .describe("The emitter that has it looked at; pause it to look no more."),
    paused: z.boolean().describe("That emitter is paused."),
  })
  .openapi("ComponentImageUpdate");
export type ShownImageUpdate = z.infer<typeof imageUpdateSchema>;

export const componentSchema = z
  .object({
    ...namedPartMembers,
    type: z.enum(componentTypes).describe("By the active config; `unknown`: that has it not."),
    config_versions: z.int().describe("Number of configs that have or had it."),
    var_name: z
      .string()
      .describe(
        "What templates call it, where not by its name; else empty. As was said of it last.",
      ),
    resolved_var_name: z.string().describe("What templates call it."),
    dependencies: z
      .array(z.string())
      .describe(
        "Ids of the components that it depends on, as was said of it last: by the active config, or since.",
      ),
    latest_build: componentBuilds.itemSchema
      .optional()
      .describe("The newest; left out where it was never built."),
    image_update: imageUpdateSchema
      .optional()
      .describe("Of one that follows an image by an `update_policy`; else left out."),
  })
  .openapi("Component");
export type ShownComponent = z.infer<typeof componentSchema>;
const one = { 200: json(componentSchema, "The component.") };

const query = z.object({
  ...listingQuery,
  ...partFilters,
  ...componentFilters,
  labels: labelsQuery,
});

export const listComponentsRoute = createRoute("listComponents", {
  get: base,
  rule: reading,
  tags,
  summary: "List the components of an app",
  description: listingDescription,
  query,
  responses: { 200: json(listingOf(componentSchema), "Components.") },
});

export const listOrgComponentsRoute = createRoute("listOrgComponents", {
  get: "/v1/components",
  rule: { ...reading, bound: true },
  tags,
  summary: "List the components of all apps",
  description: `422 where the configs of so many apps are too long for one answer. ${listingDescription}`,
  query,
  responses: { 200: json(listingOf(componentSchema), "Components.") },
});

export const getComponentRoute = createRoute("getComponent", {
  get: path,
  rule: reading,
  tags,
  summary: "Read a component",
  responses: one,
});

export const updateComponentRoute = createRoute("updateComponent", {
  patch: path,
  rule: writing,
  tags,
  summary: "Change a component",
  description:
    "`labels` replaces its own; 422 `label_locked` for keys that the active config gives. 409 `component_in_use`, with the configs that use it, if it is renamed while the active config or an " +
    "install's config has it; 409 `name_taken`. `dependencies` and `var_name` are for the next config that comes in parts; until one comes in force they are answered, and templates go by the active one.",
  body: z
    .strictObject({
      name: nameShape,
      labels: labelsInput,
      ...ofComponent.shape,
    })
    .partial()
    .openapi("ComponentChanges", { example: { labels: { team: "web" } } }),
  responses: one,
});

export const deleteComponentRoute = createRoute("deleteComponent", {
  delete: path,
  rule: writing,
  tags,
  summary: "Delete a component",
  description:
    "409 `component_in_use`, with the configs that use it, while the active config or an install's config has it.",
  responses: { 200: json(componentSchema, "The component, as it was.") },
});

export const mergeComponentLabelsRoute = createRoute("mergeComponentLabels", {
  post: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Set labels of a component",
  description: "The others stay. 422 `label_locked` for keys that the active config gives.",
  body: z.strictObject({ labels: labelsInput }),
  responses: one,
});

export const removeComponentLabelsRoute = createRoute("removeComponentLabels", {
  delete: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Remove labels of a component",
  description: "422 `label_locked` for keys that the active config gives.",
  body: z.strictObject({ keys: z.array(z.string().max(63)).min(1).max(64) }),
  responses: one,
});

const related =
  "By the active config; also those that its texts refer to, and what makes its cluster. By name.";

export const listComponentDependenciesRoute = createRoute("listComponentDependencies", {
  get: `${path}/dependencies`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "List the components that a component needs",
  description: related,
  responses: { 200: json(z.array(componentSchema), "Components.") },
});

export const listComponentDependentsRoute = createRoute("listComponentDependents", {
  get: `${path}/dependents`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "List the components that need a component",
  description: related,
  responses: {
    200: json(
      z.object({ children: z.array(componentSchema) }).openapi("ComponentChildren"),
      "Components.",
    ),
  },
});

const configDescription =
  "The members that its type has are in the object named by the type, such as `helm`.";
const config = { 200: json(componentConfigRecord.schema, "The config.") };

export const listComponentConfigsRoute = createRoute("listComponentConfigs", {
  get: `${path}/configs`,
  rule: reading,
  tags,
  summary: "List the configs of a component",
  description: `One for each config of the app that has or had it. ${configDescription} 422 where the app's configs are too long for one answer. ${listingDescription}`,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(componentConfigRecord.schema), "Configs.") },
});

export const getLatestComponentConfigRoute = createRoute("getLatestComponentConfig", {
  get: `${path}/configs/latest`,
  rule: reading,
  tags,
  summary: "Read what the active config says of a component",
  description: `${configDescription} 404 \`component_config_not_found\` where the active config has it not.`,
  responses: config,
});

export const getComponentConfigRoute = createRoute("getComponentConfig", {
  get: `${path}/configs/{component_config_id}`,
  rule: reading,
  tags,
  summary: "Read a config of a component",
  description: configDescription,
  responses: config,
});
