import { z } from "@hono/zod-openapi";
import { buildStatuses } from "../build-statuses.ts";
import { componentTypes } from "../component-types.ts";
import { created, is } from "../resources/filters.ts";
import { int, json as stored, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { buildMembers } from "./build-members.ts";
import { createRoute } from "./create-route.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { cursorQuery, pageOf } from "./page.ts";
import { policyReports } from "./policy-reports.ts";
import { json } from "./response.ts";
import { workOfBuild } from "./whole-work.ts";
import { workflowSchema } from "./workflow.ts";

const id = z.string().max(64).optional();

export const componentBuilds = resource({
  noun: "build",
  plural: "builds",
  schema: "ComponentBuild",
  tag: "Builds",
  prefix: "bld",
  param: "build_id",
  path: "/v1/builds",
  under: [],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list"],
  bound: "list",
  says: { list: "List the builds of components of all apps" },
  members: {
    ...owned,
    app_id: text(),
    component_id: text(),
    component_name: text("That it had in the config."),
    component_type: word(componentTypes),
    app_config_id: text("The config that is built."),
    component_config_connection_id: text("What that config says of the component."),
    component_config_version: int("Which of the component's configs that is, from 1."),
    ...buildMembers,
    source_image: text("The image that was copied."),
    source_digest: text(),
    source_media_type: text(),
    resolved_tag: text("The tag that was followed."),
    resolved_at: orNull(text(), "When the image was looked up."),
    policy_reports: stored(
      z.array(policyReports.itemSchema),
      "What policies said of what was built, with the first five messages each.",
    ),
  },
  filters: {
    ...created,
    app_id: is("app_id", id.describe("Of this app.")),
    component_id: is("component_id", id.describe("Of this component.")),
    status: is("status", z.enum(buildStatuses).optional().describe("Of this status.")),
  },
});
export type ComponentBuild = ItemOf<typeof componentBuilds>;

const tags = ["Builds"];
const app = "/v1/apps/{app_id}";
const path = `${app}/components/{component_id}/builds` as const;
const reading = { surface: "control-plane", permission: "apps.read" } as const;
const building = { surface: "control-plane", permission: "builds.write" } as const;
const wholeBuildSchema = componentBuilds.itemSchema
  .extend(workOfBuild)
  .openapi("WholeComponentBuild");
export type WholeBuild = z.infer<typeof wholeBuildSchema>;
const one = json(wholeBuildSchema, "The build.");

/** How a build is made. */
export const howToBuild = z
  .strictObject({
    git_ref: z
      .string()
      .max(255)
      .regex(/^(?:[^-\s]\S*)?$/, { error: "Must be a branch, a tag or a commit.", abort: true }) // without flags and lookaheads: Go has none
      .refine((ref) => !/\p{C}/u.test(ref), "Must be a branch, a tag or a commit.")
      .optional()
      .describe("A branch, tag or commit in place of the branch that the config names."),
    use_latest: z
      .boolean()
      .optional()
      .describe("The newest commit of the config's branch, which is also the default."),
    force: z
      .boolean()
      .optional()
      .describe("Build also where the commit is the one that was built last."),
  })
  .refine(({ git_ref: ref = "", use_latest: latest }) => ref === "" || latest !== true, {
    path: ["use_latest"],
    params: { code: "given_twice" },
    message: "Give git_ref or use_latest, not both.",
  });

const refused =
  "409 `no_active_config` where the app has none. The job runs on the org's own runner, and its artifact goes to the broker's registry: a build without one of these ends as an error that says so.";

export const listBuildsOfComponentRoute = createRoute("listComponentBuildsOfComponent", {
  get: path,
  rule: reading,
  tags,
  summary: "List the builds of a component",
  description: listingDescription,
  query: z.object({ ...listingQuery, ...queryOf(["status"]) }),
  responses: { 200: json(listingOf(componentBuilds.itemSchema), "Builds.") },
});

export const getBuildRoute = createRoute("getComponentBuild", {
  get: "/v1/builds/{build_id}",
  rule: reading,
  tags,
  summary: "Read a build of a component",
  responses: { 200: one },
});

export const createBuildRoute = createRoute("createComponentBuild", {
  post: path,
  rule: { ...building, idempotent: "replay" },
  tags,
  summary: "Build a component",
  description: `By the app's active config. ${refused} 404 \`component_config_not_found\` where that config has it not.`,
  body: howToBuild.openapi("CreateComponentBuildRequest", { example: { use_latest: true } }),
  responses: { 201: json(componentBuilds.itemSchema, "The build; it waits for its turn.") },
});

export const getLatestBuildRoute = createRoute("getLatestComponentBuild", {
  get: `${path}/latest`,
  rule: reading,
  tags,
  summary: "Read the newest build of a component",
  description: "404 `build_not_found` where it was never built.",
  responses: { 200: one },
});

export const getBuildOfComponentRoute = createRoute("getComponentBuildOfComponent", {
  get: `${path}/{build_id}`,
  rule: reading,
  tags,
  summary: "Read one of a component's builds",
  responses: { 200: one },
});

export const cancelBuildRoute = createRoute("cancelComponentBuild", {
  post: `${path}/{build_id}/cancel`,
  rule: building,
  tags,
  summary: "Cancel a build",
  description:
    "Builds that were asked for together go on. 409 `build_final` for one that has ended; `build_waits` for one that waits with others for a turn.",
  responses: { 202: json(componentBuilds.itemSchema, "It is being cancelled.") },
});

export const buildAllRoute = createRoute("buildAllComponents", {
  post: `${app}/components/build-all`,
  rule: { ...building, idempotent: "replay" },
  tags,
  summary: "Build all components of an app",
  description: `By the app's active config, side by side. ${refused}`,
  body: z.strictObject({}),
  responses: {
    201: json(z.array(componentBuilds.itemSchema), "The builds; empty where it has no components."),
  },
});

export const buildConfigRoute = createRoute("buildAppConfig", {
  post: `${app}/configs/{app_config_id}/build`,
  rule: { ...building, idempotent: "replay" },
  tags,
  summary: "Build all components of a config",
  description: `A config that is or was in force: 409 \`config_not_active\` for others, \`no_components\` for one without components. ${refused}`,
  responses: { 201: json(workflowSchema, "The workflow that builds them.") },
});

const historyItem = z
  .object({
    build: componentBuilds.itemSchema,
    app_id: z.string(),
    component_id: z.string(),
    component_name: z.string(),
    build_runner_job_id: z.string(),
  })
  .openapi("OrgComponentBuildHistoryItem");

export const listBuildHistoryRoute = createRoute("listComponentBuildHistory", {
  get: "/v1/component-builds",
  rule: { ...reading, bound: true },
  tags,
  summary: "Page through the builds of all components",
  query: z.object(cursorQuery),
  responses: {
    200: json(
      pageOf(historyItem).openapi("OrgComponentBuildHistoryResponse"),
      "A page of builds, the newest first.",
    ),
  },
});

function queryOf<const Names extends readonly (keyof typeof componentBuilds.filters)[]>(
  names: Names,
) {
  type All = typeof componentBuilds.filters;
  const picked = names.map((name) => [name, componentBuilds.filters[name].schema]);
  return Object.fromEntries(picked) as { [Name in Names[number]]: All[Name]["schema"] };
}
