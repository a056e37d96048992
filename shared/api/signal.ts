import { z } from "@hono/zod-openapi";
import { signalEnds } from "../queue-signal.ts";
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
      .describe("Only when one signal is read."),
    owner_id: z.string(),
    owner_type: z.string(),
    type: z.string().openapi({ example: "sync-install" }),
    signal: members
      .nullable()
      .describe("Its data; null in lists, and for a token without the permission signals.data."),
    signal_hidden: z.boolean().describe("Whether `signal` and `result` are left out."),
    signal_context: z
      .object({
        awaited_by: z.string().nullable(),
        caused_by: z.string().nullable().describe("The signal whose callback this one is."),
        scheduled_for: instant.nullable().describe("The tick of the emitter."),
        created_by_id: z.string(),
        values: members.describe("The caller's own."),
      })
      .openapi("SignalContext"),
    dedupe_key: z.string().nullable(),
    emitter_id: z.string().nullable().describe("The emitter that produced it."),
    enqueued: z.boolean(),
    execution_count: z.int(),
    max_executions: z.int(),
    retry_delay: z.int().describe("Nanoseconds."),
    expires_at: instant.nullable(),
    status: compositeStatusSchema,
    worker: z.string().nullable().describe("Who has claimed it, by its own words."),
    lease_until: instant.nullable(),
    result: members.nullable().describe("What its worker, or the broker, reported at its end."),
    callback: callbackRefSchema.nullable().describe("The first of `callbacks`."),
    callbacks: z.array(callbackRefSchema).describe("What follows its end."),
    workflow: z.null(),
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
