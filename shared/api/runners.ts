import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { pageOf, pageQuery } from "./page.ts";
import { pauseBody, pausing, resumeBody } from "./pause.ts";
import { json, jsonBody } from "./response.ts";
import { runnerLifecycles, runnerSchema, runnerStatuses } from "./runner.ts";

const tags = ["Runners"];
const path = "/v1/runners/{runner_id}";
const params = z.object({ runner_id: idParam("runner_id", "run") });

const members = {
  name: z.string().trim().min(1).max(200).describe("Unique in the org."),
  display_name: z.string().trim().max(200),
};

const createRunnerBody = z
  .strictObject({
    name: members.name,
    display_name: members.display_name.default(""),
    runner_group_id: z.string().max(64),
  })
  .openapi("NewRunner", {
    example: { name: "acme-production", runner_group_id: "rgr_01k9zq5v3t8w2x4y6z8a0b2c4d" },
  });
export type NewRunner = z.infer<typeof createRunnerBody>;

const updateRunnerBody = z.strictObject(members).partial();
export type RunnerChanges = z.infer<typeof updateRunnerBody>;

const listQuery = z.object({
  ...pageQuery,
  runner_group_id: z.string().max(64).optional().describe("Only runners of this group."),
  status: z.enum(runnerStatuses).optional().describe("Only runners in this status."),
  lifecycle: z.enum(runnerLifecycles).optional().describe("Only enabled ones, and so on."),
  name: z.string().max(200).optional().describe("Exactly this name."),
});
export type RunnerFilters = Omit<z.infer<typeof listQuery>, "cursor" | "limit">;

const one = json(runnerSchema, "The runner.");

export const createRunnerRoute = createRoute({
  operationId: "createRunner",
  rule: { surface: "operator", permission: "runners.write", idempotent: "replay", bound: true },
  method: "post",
  path: "/v1/runners",
  tags,
  summary: "Create a runner",
  description: "It accepts jobs at once and keeps them until a process serves them.",
  request: { body: jsonBody(createRunnerBody) },
  responses: { 201: one },
});

export const listRunnersRoute = createRoute({
  operationId: "listRunners",
  rule: { surface: "operator", permission: "runners.read", bound: true },
  method: "get",
  path: "/v1/runners",
  tags,
  summary: "List runners",
  request: { query: listQuery },
  responses: { 200: json(pageOf(runnerSchema), "A page of runners, the newest first.") },
});

export const getRunnerRoute = createRoute({
  operationId: "getRunner",
  rule: { surface: "runner", permission: "runners.read" },
  method: "get",
  path,
  tags,
  summary: "Read a runner",
  request: { params },
  responses: { 200: json(runnerSchema, "The runner with its group and settings.") },
});

export const updateRunnerRoute = createRoute({
  operationId: "updateRunner",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "patch",
  path,
  tags,
  summary: "Rename a runner",
  request: { params, body: jsonBody(updateRunnerBody) },
  responses: { 200: one },
});

export const deleteRunnerRoute = createRoute({
  operationId: "deleteRunner",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "delete",
  path,
  tags,
  summary: "Delete a runner",
  description:
    "409 while an execution runs. Jobs that wait are not attempted, its tokens are revoked, and its jobs stay readable.",
  request: { params },
  responses: { 204: { description: "It was deleted." } },
});

export const enableRunnerRoute = createRoute({
  operationId: "enableRunner",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "post",
  path: `${path}/enable`,
  tags,
  summary: "Enable a runner",
  description: "Also works for a deprovisioned runner. Waiting jobs start at once.",
  request: { params },
  responses: { 200: one },
});

export const disableRunnerRoute = createRoute({
  operationId: "disableRunner",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "post",
  path: `${path}/disable`,
  tags,
  summary: "Disable a runner",
  description: "It accepts no new jobs (409). Waiting jobs keep waiting and running jobs finish.",
  request: { params },
  responses: { 200: one },
});

export const deprovisionRunnerRoute = createRoute({
  operationId: "deprovisionRunner",
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  method: "post",
  path: `${path}/deprovision`,
  tags,
  summary: "Deprovision a runner",
  description:
    "It accepts no new jobs. All its jobs, including running ones, end as not-attempted.",
  request: { params },
  responses: { 200: one },
});

export const pauseRunnerRoute = createRoute({
  operationId: "pauseRunner",
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  method: "post",
  path: `${path}/pause`,
  tags,
  summary: "Pause a runner",
  description: pausing,
  request: { params, body: pauseBody },
  responses: { 200: one },
});

export const resumeRunnerRoute = createRoute({
  operationId: "resumeRunner",
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  method: "post",
  path: `${path}/resume`,
  tags,
  summary: "Resume a paused runner",
  description: "Waiting jobs start at once, unless the runner's group is paused.",
  request: { params, body: resumeBody },
  responses: { 200: one },
});
