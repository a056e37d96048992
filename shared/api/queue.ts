import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { mostEntries } from "../most-entries.ts";
import { laneOwners } from "../queue-acts.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { durationInput } from "./duration.ts";
import { emitterSchema } from "./emitter.ts";
import { jobOwner } from "./job-owner.ts";
import { queueSignalSchema } from "./signal.ts";

const instant = z.iso.datetime();
const ulid = "[0-9a-hjkmnp-tv-z]{26}";

/** A queue in a path: `que_…`, or `run_…:deploy` for the queue of a runner's job group. */
export const queueParams = z.object({
  queue_id: z
    .string()
    .regex(
      new RegExp(`^(?:que_${ulid}|run_${ulid}:[a-z-]{0,20})$`),
      "Must be the id of a queue, such as que_01k9zq5v3t8w2x4y6z8a0b2c4d.",
    )
    .openapi({
      param: { name: "queue_id", in: "path" },
      description: "The id of a queue, or of a runner and a job group: the queue of their jobs.",
      example: "que_01k9zq5v3t8w2x4y6z8a0b2c4d",
    }),
});

const mostMetadata = 100;

/** What can be set of a queue, and within which bounds. */
export const queueMembers = {
  name: z.string().trim().min(1).max(200),
  max_depth: z.int().min(1).max(1_000_000).describe("An enqueue is refused when this many wait."),
  max_in_flight: z
    .int()
    .min(1)
    .max(1_000)
    .describe("How many are executed at once; 1: strictly one after the other."),
  idle_timeout: durationInput({ minNs: 0, maxNs: 30 * 86_400 * secondNs }).openapi({
    type: "integer",
    description:
      "After this time without a signal the queue is idle, until the next one: nanoseconds, or text like `1h`; 0: never.",
  }),
  metadata: z
    .record(z.string().min(1).max(256), z.string().max(4096))
    .check(mostEntries(mostMetadata, `At most ${mostMetadata} entries are allowed.`)),
};
export const queueOwner = { owner_id: jobOwner, owner_type: jobOwner };

/** One queue: what it is set to, how it is, and what is in it. */
export const queueSchema = z
  .object({
    id: z.string().openapi({ example: "que_01k9zq5v3t8w2x4y6z8a0b2c4d" }),
    org_id: z.string(),
    name: z.string(),
    owner_id: z.string(),
    owner_type: z.string().openapi({ example: "install" }),
    lane_of: z
      .object({ owner_type: z.enum(laneOwners), owner_id: z.string() })
      .optional()
      .describe(
        "Whose lane it is. Acts on the queue and its signals need the permissions that acts on this owner need, whatever `owner_id` says. Left out: it was created by hand.",
      ),
    max_depth: z.int(),
    max_in_flight: z.int(),
    idle_timeout: z.int().describe("Nanoseconds; 0: it never goes idle."),
    metadata: z.record(z.string(), z.string()),
    status_v2: compositeStatusSchema,
    emitters: z
      .array(emitterSchema)
      .describe("The newest 100, without their templates; only when one queue is read."),
    queue_signal: z
      .array(queueSignalSchema)
      .describe("The first 100 in line, without their data; only when one queue is read."),
    depth: z.int().describe("How many wait; `max_depth` bounds it."),
    delayed: z.int().describe("Those of them that are in back-off."),
    in_flight: z.int().describe("How many have one of the `max_in_flight` places."),
    oldest_at: instant.nullable().describe("When the first in line was enqueued."),
    paused: z.boolean(),
    paused_until: instant.nullable(),
    paused_note: z.string().nullable(),
    paused_by_id: z.string().nullable(),
    version: z.int(),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("Queue");
export type Queue = z.infer<typeof queueSchema>;
