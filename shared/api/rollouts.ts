import { z } from "@hono/zod-openapi";
import { rolloutStatuses, rolloutTargetStatuses } from "../rollout.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { idParam } from "./id-param.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json, jsonBody } from "./response.ts";
import { orderReason, shutdownTypes } from "./runner-process-shutdown.ts";

const tags = ["Processes"];
const instant = z.iso.datetime();
const count = z.int().min(0);
const params = z.object({ rollout_id: idParam("rollout_id", "rlo") });
const path = "/v1/runner-rollouts/{rollout_id}";

export const rolloutSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_group_id: z.string().nullable().describe("null: all groups of the org."),
    type: z.enum(shutdownTypes),
    status: z.enum(rolloutStatuses),
    status_description: z.string(),
    reason: z.string(),
    max_at_once: z.int(),
    include_last: z.boolean(),
    deadline: z.number().describe("How long running executions may continue, in nanoseconds."),
    cancelled_by_id: z.string().nullable(),
    counts: z
      .object({ waiting: count, ordered: count, done: count, skipped: count, failed: count })
      .describe("Its processes by what has become of them."),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("RunnerRollout");
export type Rollout = z.infer<typeof rolloutSchema>;

const targetSchema = z
  .object({
    runner_id: z.string(),
    process_id: z.string(),
    shutdown_id: z.string().nullable().describe("The record of its order, once it is given."),
    status: z.enum(rolloutTargetStatuses),
    status_description: z.string().describe("Why it was skipped or failed."),
    ordered_at: instant.nullable(),
    ended_at: instant.nullable(),
  })
  .openapi("RunnerRolloutProcess");
export type RolloutTarget = z.infer<typeof targetSchema>;

const createBody = z
  .strictObject({
    runner_group_id: z.string().max(64).optional(),
    whole_org: z.literal(true).optional().describe("Instead of a group: all groups of the org."),
    type: z.enum(shutdownTypes),
    max_at_once: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .describe("How many processes are shutting down or restarting at a time."),
    include_last: z
      .boolean()
      .default(false)
      .describe(
        "Also order the last live process of a runner, which then takes no jobs for a while.",
      ),
    deadline: durationInput({ minNs: 1e9, maxNs: 24 * 3600e9 })
      .optional()
      .describe("How long running executions may continue. Default: 30 minutes."),
    reason: orderReason,
  })
  .refine((given) => (given.runner_group_id === undefined) === (given.whole_org === true), {
    path: ["runner_group_id"],
    params: { code: "scope_missing" },
    message: "Send either runner_group_id, or whole_org: true.",
  })
  .openapi("NewRunnerRollout");

export const createRolloutRoute = createRoute({
  operationId: "createRollout",
  rule: { surface: "operator", permission: "runners.operate", idempotent: "replay" },
  method: "post",
  path: "/v1/runner-rollouts",
  tags,
  summary: "Shut down or restart the processes of many runners, a few at a time",
  description:
    "It orders the processes that are live now, at most `max_at_once` at a time and never two of one runner at once. " +
    "One that restarts is done when its runner has a new process. After the first failure nobody else is ordered. " +
    "409 while another rollout is under way for the same runners.",
  request: { body: jsonBody(createBody) },
  responses: { 201: json(rolloutSchema, "The rollout. Its first step is taken within a second.") },
});

export const listRolloutsRoute = createRoute({
  operationId: "listRollouts",
  rule: { surface: "operator", permission: "runners.read" },
  method: "get",
  path: "/v1/runner-rollouts",
  tags,
  summary: "List rollouts",
  request: {
    query: z.object({
      ...pageQuery,
      status: z.enum(rolloutStatuses).optional().describe("Only rollouts in this status."),
      runner_group_id: z.string().max(64).optional().describe("Only rollouts of this group."),
    }),
  },
  responses: { 200: json(pageOf(rolloutSchema), "A page of rollouts, the newest first.") },
});

export const getRolloutRoute = createRoute({
  operationId: "getRollout",
  rule: { surface: "operator", permission: "runners.read" },
  method: "get",
  path,
  tags,
  summary: "Read a rollout",
  request: { params },
  responses: { 200: json(rolloutSchema, "The rollout.") },
});

export const listRolloutProcessesRoute = createRoute({
  operationId: "listRolloutProcesses",
  rule: { surface: "operator", permission: "runners.read" },
  method: "get",
  path: `${path}/processes`,
  tags,
  summary: "List the processes of a rollout",
  request: {
    params,
    query: z.object({
      ...pageQuery,
      status: z.enum(rolloutTargetStatuses).optional().describe("Only those in this status."),
    }),
  },
  responses: { 200: json(pageOf(targetSchema), "A page of processes, in their order.") },
});

export const cancelRolloutRoute = createRoute({
  operationId: "cancelRollout",
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  method: "post",
  path: `${path}/cancel`,
  tags,
  summary: "Cancel a rollout",
  description:
    "Nobody else is ordered. Processes that were ordered before still shut down or restart; the rollout is cancelled when they have. " +
    "Like its begin it needs `installs.operate`, too, where one of its runners is an install's.",
  request: { params },
  responses: { 200: json(rolloutSchema, "The rollout.") },
});
