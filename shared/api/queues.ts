import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { ruleOfAct } from "../queue-acts.ts";
import { signalStatuses } from "../queue-signal.ts";
import { queueStatuses } from "../queue.ts";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { pauseBody, resumeBody } from "./pause.ts";
import { queueMembers, queueOwner, queueParams, queueSchema } from "./queue.ts";
import { json } from "./response.ts";

const tags = ["Queues"];
const path = "/v1/queues/{queue_id}";
const params = queueParams;
const defaultIdleNs = 3600 * secondNs;

const createQueueBody = z
  .strictObject({
    name: queueMembers.name,
    owner_id: queueOwner.owner_id.default(""),
    owner_type: queueOwner.owner_type.default(""),
    max_depth: queueMembers.max_depth.default(10_000),
    max_in_flight: queueMembers.max_in_flight.default(1),
    idle_timeout: queueMembers.idle_timeout.default(defaultIdleNs),
    metadata: queueMembers.metadata.default({}),
  })
  .openapi("NewQueue", {
    example: { name: "installs", owner_id: "ins_1", owner_type: "install", max_in_flight: 1 },
  });
export type NewQueue = z.infer<typeof createQueueBody>;

const updateQueueBody = z.strictObject(queueMembers).partial().openapi("QueueChanges");
export type QueueChanges = z.infer<typeof updateQueueBody>;

export const createQueueRoute = createRoute("createQueue", {
  post: "/v1/queues",
  rule: { surface: "control-plane", permission: "queues.write", idempotent: "replay" },
  tags,
  summary: "Create a queue",
  description: "Its name is unique for its owner: 409 `name_taken`.",
  body: createQueueBody,
  responses: { 201: json(queueSchema, "The queue.") },
});

const listQuery = {
  owner_id: queueOwner.owner_id.optional().describe("Only queues of this owner."),
  owner_type: queueOwner.owner_type.optional().describe("Only queues of owners of this type."),
  name: z.string().max(200).optional().describe("Exactly this name."),
  status: z.enum(queueStatuses).optional().describe("Only queues in this status."),
};

export const listQueuesRoute = createRoute("listQueues", {
  get: "/v1/queues",
  rule: ruleOfAct("read"),
  tags,
  summary: "List queues",
  description:
    "The newest first; after them those of the runners' job groups, whose `owner_type` is `runner`.",
  query: z.object({ ...pageQuery, ...listQuery }),
  responses: {
    200: json(pageOrArrayOf(queueSchema), "A page of queues, without their signals and emitters."),
  },
});

export const getQueueRoute = createRoute("getQueue", {
  get: path,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read a queue",
  params,
  responses: { 200: json(queueSchema, "The queue with its emitters and the first in line.") },
});

export const updateQueueRoute = createRoute("updateQueue", {
  patch: path,
  rule: { ...ruleOfAct("update"), ifMatch: true },
  tags,
  summary: "Change a queue",
  description:
    "With `If-Match`, only if its version is that one: else 412. 409 `managed_queue` for another name of an install's lane, or more than one in flight in its lane `changes`. A smaller `max_in_flight` ends nothing that is in flight, and a smaller " +
    "`max_depth` nothing that waits. 409 `runner_queue` for the queue of a runner's job group, as for all changes.",
  params,
  body: updateQueueBody,
  responses: { 200: json(queueSchema, "The queue.") },
});

export const deleteQueueRoute = createRoute("deleteQueue", {
  delete: path,
  rule: ruleOfAct("delete"),
  tags,
  summary: "Delete a queue",
  description:
    "409 `queue_not_empty` while it has live signals: purge it first; 409 `queue_has_emitters` while it has emitters; 409 `managed_queue` for a lane of an install.",
  params,
  responses: { 204: { description: "It was deleted." } },
});

export const pauseQueueRoute = createRoute("pauseQueue", {
  post: `${path}/pause`,
  rule: ruleOfAct("pause"),
  tags,
  summary: "Pause a queue",
  description:
    "While paused, no signal starts. Those in flight continue; new ones are accepted and wait. Pausing again replaces the note and the end.",
  params,
  body: pauseBody,
  responses: { 200: json(queueSchema, "The paused queue.") },
});

export const resumeQueueRoute = createRoute("resumeQueue", {
  post: `${path}/resume`,
  rule: ruleOfAct("resume"),
  tags,
  summary: "Resume a paused queue",
  params,
  body: resumeBody,
  responses: { 200: json(queueSchema, "The queue.") },
});

export const purgeQueueRoute = createRoute("purgeQueue", {
  post: `${path}/purge`,
  rule: ruleOfAct("purge"),
  tags,
  summary: "Cancel what waits in a queue",
  description: "Signals in flight continue unless `in_flight` is true.",
  params,
  body: z.strictObject({ in_flight: z.boolean().default(false).describe("Those in flight, too.") }),
  responses: {
    200: json(
      z.object({
        purged: z.int(),
        has_more: z.boolean().describe("One request purges at most 100,000. Send it again."),
      }),
      "How many signals were cancelled.",
    ),
  },
});

const counts = Object.fromEntries(signalStatuses.map((status) => [status, z.int()])) as Record<
  (typeof signalStatuses)[number],
  z.ZodInt
>; // a count for each status

export const getQueueStatusRoute = createRoute("getQueueStatus", {
  get: `${path}/status`,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read how full a queue is",
  params,
  responses: {
    200: json(
      z
        .object({
          queue_id: z.string(),
          paused: z.boolean(),
          depth: z.int(),
          delayed: z.int(),
          in_flight: z
            .array(z.string())
            .describe("The signals that are executed now, 1,000 at most."),
          inFlightCount: z.int().describe("How many places of `max_in_flight` are taken."),
          queueDepthCount: z.int().describe("As `depth`."),
          ready: z.boolean().describe("It starts what waits: it is not paused."),
          stopped: z.boolean().describe("Always false: brokers work on every queue."),
          max_depth: z.int(),
          max_in_flight: z.int(),
          bytes: z.int().describe("Of the data of all live signals."),
          oldest_at: z.iso.datetime().nullable(),
          oldest_age_seconds: z.number().nullable().describe("Of the first in line."),
          counts: z
            .object(counts)
            .describe("Signals by status. Of ended ones 10,000 means that many or more."),
        })
        .openapi("QueueStatusResponse"),
      "The queue's counters.",
    ),
  },
});
