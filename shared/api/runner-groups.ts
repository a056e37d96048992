import { z } from "@hono/zod-openapi";
import { runnerGroupTypes, runnerPlatforms } from "../runner-platforms.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { pageOf, pageQuery } from "./page.ts";
import { pauseBody, pausing, resumeBody } from "./pause.ts";
import { json, jsonBody } from "./response.ts";
import { runnerSettingsChangesSchema } from "./runner-settings.ts";
import { runnerGroupSchema } from "./runner.ts";

const tags = ["Runner groups"];
const path = "/v1/runner-groups/{runner_group_id}";
const params = z.object({ runner_group_id: idParam("runner_group_id", "rgr") });

const members = {
  name: z.string().trim().max(200),
  owner_id: z.string().trim().min(1).max(200),
  owner_type: z.string().trim().min(1).max(100).openapi({ example: "install" }),
  platform: z.enum(runnerPlatforms),
};

export const createRunnerGroupBody = z
  .strictObject({
    type: z.enum(runnerGroupTypes),
    name: members.name.default(""),
    owner_id: members.owner_id.optional().describe("Default: the org."),
    owner_type: members.owner_type.optional().describe("Default: `org`."),
    platform: members.platform.default("unknown"),
    settings: runnerSettingsChangesSchema.default({}),
  })
  .refine((given) => (given.owner_id === undefined) === (given.owner_type === undefined), {
    path: ["owner_id"],
    params: { code: "owner_incomplete" },
    message: "Send both owner_id and owner_type, or neither.",
  })
  .openapi("NewRunnerGroup", {
    example: { type: "install", name: "Acme", platform: "aws", settings: {} },
  });
export type NewRunnerGroup = z.infer<typeof createRunnerGroupBody>;

const updateRunnerGroupBody = z.strictObject(members).partial();
export type RunnerGroupChanges = z.infer<typeof updateRunnerGroupBody>;

export const createRunnerGroupRoute = createRoute({
  operationId: "createRunnerGroup",
  rule: { surface: "operator", permission: "runners.write", idempotent: "replay" },
  method: "post",
  path: "/v1/runner-groups",
  tags,
  summary: "Create a runner group",
  description:
    "Its runners share settings. Settings that are not given get the defaults of its type.",
  request: { body: jsonBody(createRunnerGroupBody) },
  responses: { 201: json(runnerGroupSchema, "The group with its settings.") },
});

export const listRunnerGroupsRoute = createRoute({
  operationId: "listRunnerGroups",
  rule: { surface: "operator", permission: "runners.read", bound: true },
  method: "get",
  path: "/v1/runner-groups",
  tags,
  summary: "List runner groups",
  request: {
    query: z.object({
      ...pageQuery,
      owner_id: z.string().max(200).optional().describe("Only groups of this owner."),
      type: z.enum(runnerGroupTypes).optional().describe("Only groups of this type."),
    }),
  },
  responses: { 200: json(pageOf(runnerGroupSchema), "A page of groups, the newest first.") },
});

export const getRunnerGroupRoute = createRoute({
  operationId: "getRunnerGroup",
  rule: { surface: "operator", permission: "runners.read" },
  method: "get",
  path,
  tags,
  summary: "Read a runner group",
  request: { params },
  responses: { 200: json(runnerGroupSchema, "The group with its settings and runners.") },
});

export const updateRunnerGroupRoute = createRoute({
  operationId: "updateRunnerGroup",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "patch",
  path,
  tags,
  summary: "Change a runner group",
  request: { params, body: jsonBody(updateRunnerGroupBody) },
  responses: { 200: json(runnerGroupSchema, "The group.") },
});

export const deleteRunnerGroupRoute = createRoute({
  operationId: "deleteRunnerGroup",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "delete",
  path,
  tags,
  summary: "Delete a runner group",
  description: "409 while the group has runners.",
  request: { params },
  responses: { 204: { description: "It was deleted." } },
});

export const pauseRunnerGroupRoute = createRoute({
  operationId: "pauseRunnerGroup",
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  method: "post",
  path: `${path}/pause`,
  tags,
  summary: "Pause all runners of a group",
  description: pausing,
  request: { params, body: pauseBody },
  responses: { 200: json(runnerGroupSchema, "The paused group.") },
});

export const resumeRunnerGroupRoute = createRoute({
  operationId: "resumeRunnerGroup",
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  method: "post",
  path: `${path}/resume`,
  tags,
  summary: "Resume a paused group",
  description: "Waiting jobs start at once. A runner that was paused itself stays paused.",
  request: { params, body: resumeBody },
  responses: { 200: json(runnerGroupSchema, "The group.") },
});
