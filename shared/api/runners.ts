import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { pauseBody, pausing, resumeBody } from "./pause.ts";
import { json } from "./response.ts";
import { runnerLifecycles, runnerSchema, runnerStatuses } from "./runner.ts";

const tags = ["Runners"];
const path = "/v1/runners/{runner_id}";

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

export const createRunnerRoute = createRoute("createRunner", {
  post: "/v1/runners",
  rule: { surface: "operator", permission: "runners.write", idempotent: "replay", bound: true },
  tags,
  summary: "Create a runner",
  description: "It accepts jobs at once and keeps them until a process serves them.",
  body: createRunnerBody,
  responses: { 201: one },
});

export const listRunnersRoute = createRoute("listRunners", {
  get: "/v1/runners",
  rule: { surface: "operator", permission: "runners.read", bound: true },
  tags,
  summary: "List runners",
  query: listQuery,
  responses: { 200: json(pageOrArrayOf(runnerSchema), "A page of runners, the newest first.") },
});

export const getRunnerRoute = createRoute("getRunner", {
  get: path,
  rule: { surface: "runner", permission: "runners.read" },
  tags,
  summary: "Read a runner",
  responses: { 200: json(runnerSchema, "The runner with its group and settings.") },
});

export const updateRunnerRoute = createRoute("updateRunner", {
  patch: path,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Rename a runner",
  body: updateRunnerBody,
  responses: { 200: one },
});

export const deleteRunnerRoute = createRoute("deleteRunner", {
  delete: path,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Delete a runner",
  description:
    "409 while an execution runs. Jobs that wait are not attempted, its tokens are revoked, and its jobs stay readable.",
  responses: { 204: { description: "It was deleted." } },
});

export const enableRunnerRoute = createRoute("enableRunner", {
  post: `${path}/enable`,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Enable a runner",
  description: "Also works for a deprovisioned runner. Waiting jobs start at once.",
  responses: { 200: one },
});

export const disableRunnerRoute = createRoute("disableRunner", {
  post: `${path}/disable`,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Disable a runner",
  description: "It accepts no new jobs (409). Waiting jobs keep waiting and running jobs finish.",
  responses: { 200: one },
});

export const deprovisionRunnerRoute = createRoute("deprovisionRunner", {
  post: `${path}/deprovision`,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true },
  tags,
  summary: "Deprovision a runner",
  description:
    "It accepts no new jobs. All its jobs, including running ones, end as not-attempted.",
  responses: { 200: one },
});

export const pauseRunnerRoute = createRoute("pauseRunner", {
  post: `${path}/pause`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Pause a runner",
  description: pausing,
  body: pauseBody,
  responses: { 200: one },
});

export const resumeRunnerRoute = createRoute("resumeRunner", {
  post: `${path}/resume`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Resume a paused runner",
  description: "Waiting jobs start at once, unless the runner's group is paused.",
  body: resumeBody,
  responses: { 200: one },
});
