import { z } from "@hono/zod-openapi";
import { liveSignalStatuses, signalEnds } from "../queue-signal.ts";
import { compositeStatusSchema } from "./composite-status.ts";

const instant = z.iso.datetime();
const members = z.record(z.string(), z.unknown());

/** How a callback stands. */
export const callbackStatuses = ["waiting", "skipped", "pending", "done", "failed"] as const;
/** What a callback makes. */
export const callbackKinds = ["signal", "runner-job", "http-call"] as const;

const callbackRefSchema = z
  .object({
    n: z.int(),
    kind: z.enum(callbackKinds),
    on: z.array(z.enum(signalEnds)),
    status: z.enum(callbackStatuses),
    status_description: z.string(),
    next_id: z.string().describe("The signal or the job that it makes, or the id of its call."),
    queue_id: z.string().nullable().describe("Where its signal is enqueued."),
    type: z.string().nullable().describe("The type of its signal."),
    settled_at: instant.nullable(),
  })
  .openapi("QueueSignalCallback");

/** Where a signal comes from: the same wherever one is shown, to readers, to its worker and to receivers of its callbacks. */
export const signalContextSchema = z
  .object({
    awaited_by: z.string().nullable().describe("The signal that does not end before this one."),
    caused_by: z.string().nullable().describe("The signal whose callback this one is."),
    scheduled_for: instant.nullable().describe("The tick of the emitter."),
    created_by_id: z.string(),
    values: members.describe("The `context` that the caller gave when enqueueing it."),
  })
  .openapi("SignalContext");

const waitsSchema = z
  .object({
    reason: z.enum(["queue-paused", "no-place", "in-line", "no-worker"]),
    description: z.string().openapi({
      example:
        "the one place of its queue is taken: sig_… (deploy) is in flight: mac-7, lease until 2026-01-31T08:00:30.000Z",
    }),
    behind: z
      .array(
        z.object({
          id: z.string(),
          type: z.string(),
          status: z.enum(liveSignalStatuses),
          worker: z.string().nullable(),
          lease_until: instant.nullable(),
        }),
      )
      .describe(
        "The signals that it waits for: those that have a place, five at most, or the first in line.",
      ),
  })
  .openapi("QueueSignalWaits");

/** One signal of a queue. */
export const queueSignalSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    queue_id: z.string(),
    queue: z
      .object({
        id: z.string(),
        name: z.string(),
        owner_id: z.string(),
        owner_type: z.string(),
      })
      .nullable()
      .optional()
      .describe("Only when one signal is read; null in what an enqueue answers."),
    owner_id: z.string(),
    owner_type: z.string(),
    type: z.string().openapi({ example: "sync-install" }),
    signal: members
      .nullable()
      .optional()
      .describe(
        "Its data; null for a token without the permission signals.data, and not in lists.",
      ),
    signal_hidden: z.boolean().describe("Whether `signal` and `result` are left out."),
    signal_context: signalContextSchema,
    dedupe_key: z.string().nullable(),
    emitter_id: z.string().nullable().describe("The emitter that produced it."),
    enqueued: z.boolean(),
    execution_count: z.int(),
    max_executions: z.int(),
    retry_delay: z.int().describe("Nanoseconds."),
    expires_at: instant.nullable(),
    status: compositeStatusSchema,
    worker: z
      .string()
      .nullable()
      .describe("Who executes it: the worker by its own name, or `broker` and the broker's id."),
    lease_until: instant.nullable(),
    waits: waitsSchema
      .optional()
      .describe("Why a queued signal is not executed yet. Only when one signal is read."),
    result: members.nullable().describe("What its worker, or the broker, reported at its end."),
    callback: callbackRefSchema.optional().describe("The first of `callbacks`."),
    callbacks: z.array(callbackRefSchema).describe("What follows its end."),
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    created_at: instant,
    created_by_id: z.string(),
  })
  .openapi("QueueSignal");
export type QueueSignal = z.infer<typeof queueSignalSchema>;

/** A signal as the answer of its enqueue shows it. */
export const enqueuedSignalSchema = queueSignalSchema
  .extend({
    deduplicated: z
      .boolean()
      .describe("This live signal has the dedupe_key already and was kept; nothing was enqueued."),
  })
  .openapi("EnqueuedQueueSignal");
