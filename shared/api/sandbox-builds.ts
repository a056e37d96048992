import { z } from "@hono/zod-openapi";
import { buildStatuses } from "../build-statuses.ts";
import { created, is } from "../resources/filters.ts";
import { owned, text } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { buildMembers } from "./build-members.ts";
import { howToBuild } from "./builds.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { workOfBuild } from "./whole-work.ts";

const path = "/v1/apps/{app_id}/sandbox/builds";

export const sandboxBuilds = resource({
  noun: "build",
  plural: "builds",
  schema: "AppSandboxBuild",
  tag: "Builds",
  prefix: "sbd",
  param: "sandbox_build_id",
  path,
  under: ["app"],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List the builds of an app's sandbox" },
  members: {
    ...owned,
    app_id: text(),
    app_config_id: text("The config that is built."),
    app_sandbox_config_id: text("What that config says of the sandbox."),
    ...buildMembers,
  },
  filters: {
    ...created,
    status: is("status", z.enum(buildStatuses).optional().describe("Of this status.")),
  },
});
export type SandboxBuild = ItemOf<typeof sandboxBuilds>;

const wholeBuildSchema = sandboxBuilds.itemSchema
  .extend(workOfBuild)
  .openapi("WholeAppSandboxBuild");
export type WholeSandboxBuild = z.infer<typeof wholeBuildSchema>;

export const getSandboxBuildRoute = createRoute("getAppSandboxBuild", {
  get: `${path}/{sandbox_build_id}`,
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Builds"],
  summary: "Read a build of an app's sandbox",
  responses: { 200: json(wholeBuildSchema, "The build.") },
});

export const createSandboxBuildRoute = createRoute("createAppSandboxBuild", {
  post: path,
  rule: { surface: "control-plane", permission: "builds.write", idempotent: "replay" },
  tags: ["Builds"],
  summary: "Build an app's sandbox",
  description:
    "By the app's active config, on the org's own runner. 409 `no_active_config` where the app has none, `no_sandbox` where its config has none.",
  body: howToBuild.openapi("CreateAppSandboxBuildRequest", { example: {} }),
  responses: { 201: json(sandboxBuilds.itemSchema, "The build; it waits for its turn.") },
});

export const cancelSandboxBuildRoute = createRoute("cancelAppSandboxBuild", {
  post: `${path}/{sandbox_build_id}/cancel`,
  rule: { surface: "control-plane", permission: "builds.write" },
  tags: ["Builds"],
  summary: "Cancel a build of an app's sandbox",
  description: "409 `build_final` for one that has ended.",
  responses: { 202: json(sandboxBuilds.itemSchema, "It is being cancelled.") },
});
