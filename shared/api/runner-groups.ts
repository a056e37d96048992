import { z } from "@hono/zod-openapi";
import { runnerGroupTypes, runnerPlatforms } from "../runner-platforms.ts";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { pauseBody, pausing, resumeBody } from "./pause.ts";
import { json } from "./response.ts";
import { runnerSettingsChangesSchema } from "./runner-settings.ts";
import { runnerGroupSchema } from "./runner.ts";

const tags = ["Runner groups"];
const path = "/v1/runner-groups/{runner_group_id}";

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

export const createRunnerGroupRoute = createRoute("createRunnerGroup", {
  post: "/v1/runner-groups",
  rule: { surface: "operator", permission: "runners.write", idempotent: "replay" },
  tags,
  summary: "Create a runner group",
  description:
    "Its runners share settings. Settings that are not given get the defaults of its type.",
  body: createRunnerGroupBody,
  responses: { 201: json(runnerGroupSchema, "The group with its settings.") },
});

export const listRunnerGroupsRoute = createRoute("listRunnerGroups", {
  get: "/v1/runner-groups",
  rule: { surface: "operator", permission: "runners.read", bound: true },
  tags,
  summary: "List runner groups",
  query: z.object({
    ...pageQuery,
    owner_id: z.string().max(200).optional().describe("Only groups of this owner."),
    type: z.enum(runnerGroupTypes).optional().describe("Only groups of this type."),
  }),
  responses: { 200: json(pageOrArrayOf(runnerGroupSchema), "A page of groups, the newest first.") },
});

export const getRunnerGroupRoute = createRoute("getRunnerGroup", {
  get: path,
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read a runner group",
  responses: { 200: json(runnerGroupSchema, "The group with its settings and runners.") },
});

export const updateRunnerGroupRoute = createRoute("updateRunnerGroup", {
  patch: path,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Change a runner group",
  body: updateRunnerGroupBody,
  responses: { 200: json(runnerGroupSchema, "The group.") },
});

export const deleteRunnerGroupRoute = createRoute("deleteRunnerGroup", {
  delete: path,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Delete a runner group",
  description: "409 while the group has runners.",
  responses: { 204: { description: "It was deleted." } },
});

export const pauseRunnerGroupRoute = createRoute("pauseRunnerGroup", {
  post: `${path}/pause`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Pause all runners of a group",
  description: pausing,
  body: pauseBody,
  responses: { 200: json(runnerGroupSchema, "The paused group.") },
});

export const resumeRunnerGroupRoute = createRoute("resumeRunnerGroup", {
  post: `${path}/resume`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Resume a paused group",
  description: "Waiting jobs start at once. A runner that was paused itself stays paused.",
  body: resumeBody,
  responses: { 200: json(runnerGroupSchema, "The group.") },
});
