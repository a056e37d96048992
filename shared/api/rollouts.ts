import { z } from "@hono/zod-openapi";
import { is } from "../resources/filters.ts";
import {
  flag,
  instant,
  int,
  json as stored,
  made,
  number,
  orNull,
  owned,
  text,
  word,
} from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { rolloutStatuses, rolloutTargetStatuses } from "../rollout.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { orderReason, shutdownTypes } from "./runner-process-shutdown.ts";

const tags = ["Processes"];
const count = z.int().min(0);

export const rollouts = resource({
  noun: "rollout",
  plural: "rollouts",
  schema: "RunnerRollout",
  operation: "Rollout",
  tag: "Processes",
  prefix: "rlo",
  param: "rollout_id",
  path: "/v1/runner-rollouts",
  under: [],
  surface: "operator",
  read: "runners.read",
  opens: ["list", "get"],
  bound: "path",
  paged: "cursor",
  members: {
    ...owned,
    runner_group_id: orNull(text(), "null: all groups of the org."),
    type: word(shutdownTypes),
    status: word(rolloutStatuses),
    status_description: text(),
    reason: text(),
    max_at_once: int(),
    include_last: flag(),
    deadline: number("How long running executions may continue, in nanoseconds."),
    cancelled_by_id: orNull(text()),
    counts: stored(
      z.object({ waiting: count, ordered: count, done: count, skipped: count, failed: count }),
      "Its processes, counted by status.",
    ),
    created_at: made.created_at,
    updated_at: instant(),
    created_by_id: made.created_by_id,
  },
  filters: {
    status: is(
      "status",
      z.enum(rolloutStatuses).optional().describe("Only rollouts in this status."),
    ),
    runner_group_id: is(
      "runner_group_id",
      z.string().max(64).optional().describe("Only rollouts of this group."),
    ),
  },
});
export type Rollout = ItemOf<typeof rollouts>;
const { itemSchema: rolloutSchema } = rollouts;
const path = `${rollouts.path}/{rollout_id}` as const;

const targetSchema = z
  .object({
    runner_id: z.string(),
    process_id: z.string(),
    shutdown_id: z.string().nullable().describe("The record of its order, once it is given."),
    status: z.enum(rolloutTargetStatuses),
    status_description: z.string().describe("Why it was skipped or failed."),
    ordered_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
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

export const createRolloutRoute = createRoute("createRollout", {
  post: rollouts.path,
  rule: { surface: "operator", permission: "runners.operate", idempotent: "replay" },
  tags,
  summary: "Shut down or restart the processes of many runners, a few at a time",
  description:
    "It orders the processes that are live now, at most `max_at_once` at a time and never two of one runner at once. " +
    "One that restarts is done when its runner has a new process. After the first failure no further process is ordered. " +
    "409 while another rollout is under way for the same runners.",
  body: createBody,
  responses: { 201: json(rolloutSchema, "The rollout. Its first step is taken within a second.") },
});

export const listRolloutProcessesRoute = createRoute("listRolloutProcesses", {
  get: `${path}/processes`,
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "List the processes of a rollout",
  query: z.object({
    ...pageQuery,
    status: z.enum(rolloutTargetStatuses).optional().describe("Only those in this status."),
  }),
  responses: { 200: json(pageOrArrayOf(targetSchema), "A page of processes, in their order.") },
});

export const cancelRolloutRoute = createRoute("cancelRollout", {
  post: `${path}/cancel`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Cancel a rollout",
  description:
    "No further process is ordered. Processes that were ordered before still shut down or restart; the rollout is cancelled when they have. " +
    "Like its start it also needs `installs.operate` if one of its runners belongs to an install.",
  responses: { 200: json(rolloutSchema, "The rollout.") },
});
