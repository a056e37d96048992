import { z } from "@hono/zod-openapi";
import { ruleOfAct } from "../queue-acts.ts";
import { signalStatuses } from "../queue-signal.ts";
import { createRoute } from "./create-route.ts";
import { dataQuery } from "./data-query.ts";
import { idParam } from "./id-param.ts";
import { jobOwner } from "./job-owner.ts";
import { newSignalSchema } from "./new-signal.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { queueParams } from "./queue.ts";
import { json } from "./response.ts";
import { enqueuedSignalSchema, queueSignalSchema } from "./signal.ts";

const tags = ["Signals"];
const ofQueue = "/v1/queues/{queue_id}/signals";
const path = "/v1/signals/{signal_id}";
const signalId = idParam("signal_id", "sig");
export const signalParams = z.object({ signal_id: signalId });
const mostSignals = 1_000;

/** Data is kept as it was sent: with all digits, and a job's plan byte for byte. */
const verbatimIn = (place: string): string[] => [
  `${place}signal`,
  ...["callback", "callbacks.*"].flatMap((callback) =>
    ["signal.signal", "runner_job", "http_call"].map((member) => `${place}${callback}.${member}`),
  ),
];

export const enqueueSignalRoute = createRoute("enqueueSignal", {
  post: ofQueue,
  rule: {
    ...ruleOfAct("enqueue"),
    maxBody: "16 MiB",
    verbatim: verbatimIn(""),
    idempotent: "job",
    audit: "tally",
    ownPermit: true,
  },
  tags,
  summary: "Enqueue a signal",
  description:
    "200 with `deduplicated: true` if a live signal with the same `dedupe_key` is kept. Repeating the request with the same " +
    "`Idempotency-Key` within a day returns the same signal. 429 `queue_full` past the queue's `max_depth` or 256 MiB of data, `org_queues_full` where all queues of the org hold too much. A type that acts " +
    "needs the permission for that, too.",
  params: queueParams,
  body: newSignalSchema,
  responses: {
    201: json(enqueuedSignalSchema, "The signal."),
    200: json(enqueuedSignalSchema, "The live signal with the same `dedupe_key`."),
  },
});

export const enqueueSignalsRoute = createRoute("enqueueSignals", {
  post: `${ofQueue}/batch`,
  rule: {
    ...ruleOfAct("enqueue"),
    maxBody: "16 MiB",
    verbatim: verbatimIn("signals.*."),
    idempotent: "job",
    audit: "tally",
    ownPermit: true,
  },
  tags,
  summary: "Enqueue many signals, all or none",
  description:
    "In the order of the request. Those whose `dedupe_key` a live signal has are answered by that one.",
  params: queueParams,
  body: z.strictObject({ signals: z.array(newSignalSchema).min(1).max(mostSignals) }),
  responses: {
    201: json(
      z.object({ signals: z.array(enqueuedSignalSchema) }),
      "The signals, in the order of the request.",
    ),
  },
});

export const listSignalsRoute = createRoute("listSignals", {
  get: ofQueue,
  rule: ruleOfAct("read"),
  tags,
  summary: "List the signals of a queue",
  description:
    "The newest first; with `status=queued` in the order of the line, the first in line first. A filter by type, owner or emitter can answer a page " +
    "with fewer signals than `limit`, even none, and a `next_cursor`.",
  params: queueParams,
  query: z.object({
    ...pageQuery,
    status: z.enum(signalStatuses).optional().describe("Only signals in this status."),
    type: z.string().max(100).optional().describe("Only signals of this type."),
    owner_id: jobOwner.optional().describe("Only signals of this owner."),
    owner_type: jobOwner.optional().describe("Only signals of owners of this type."),
    emitter_id: z.string().max(100).optional().describe("Only signals of this emitter."),
  }),
  responses: {
    200: json(pageOrArrayOf(queueSignalSchema), "A page of signals, without their data."),
  },
});

export const getSignalRoute = createRoute("getSignal", {
  get: path,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read a signal",
  description: "`signal` and `result` need the permission `signals.data`.",
  query: z.object({ data: dataQuery("signal` and `result") }),
  responses: { 200: json(queueSignalSchema, "The signal.") },
});

export const getQueueSignalRoute = createRoute("getQueueSignal", {
  get: `${ofQueue}/{signal_id}`,
  rule: ruleOfAct("read"),
  tags,
  summary: "Read a signal of a queue",
  description: "`signal` and `result` need the permission `signals.data`.",
  query: z.object({ data: dataQuery("signal` and `result") }),
  responses: { 200: json(queueSignalSchema, "The signal.") },
});

export const cancelSignalRoute = createRoute("cancelSignal", {
  post: `${path}/cancel`,
  rule: ruleOfAct("cancel"),
  tags,
  summary: "Cancel a signal",
  description:
    "A worker that has claimed it loses its lease. Cancelling a cancelled signal answers 200 again; 409 `signal_ended` if it ended " +
    "in another way.",
  responses: { 200: json(queueSignalSchema, "The cancelled signal.") },
});

export const redriveSignalRoute = createRoute("redriveSignal", {
  post: `${path}/redrive`,
  rule: ruleOfAct("redrive"),
  tags,
  summary: "Redrive a dead signal",
  description:
    "It goes to the end of the queue, with all its executions again. An `expires_at` that has passed no longer counts. It needs the same permissions as enqueueing the signal and its remaining callbacks: otherwise 403. 503 with Retry-After if the broker could not check that within about ten seconds: the signal is still dead.",
  responses: { 200: json(queueSignalSchema, "The signal, queued again.") },
});

/** What came of each signal that was to be redriven. */
export const redriveOutcomes = [
  "redriven",
  "not-found",
  "not-dead",
  "kept",
  "full",
  "forbidden",
  "left",
] as const;

export const redriveSignalsRoute = createRoute("redriveSignals", {
  post: `${ofQueue}/redrive`,
  rule: ruleOfAct("redrive"),
  tags,
  summary: "Redrive the dead signals of a queue",
  description:
    "Redrives all of them, oldest first, or those named: as many as there is room for and as one request can process in about ten seconds. " +
    "`has_more`: others can be redriven; repeat the request, or first make room in the queue. `kept`: a live signal has the " +
    "same dedupe_key. `full`: there was no room, by `max_depth` or by the bytes of the data. `forbidden`: this token may not do what the signal does, so it stays dead; redrive it alone to see which permission is missing. `left`: the request ran out of time or data budget before it reached this signal; repeat the request.",
  params: queueParams,
  body: z.strictObject({
    signal_ids: z.array(signalId).min(1).max(mostSignals).optional(),
  }),
  responses: {
    200: json(
      z.object({
        redriven: z.int(),
        forbidden: z
          .int()
          .describe("Those that stay dead because this token may not do what they do."),
        signals: z
          .array(z.object({ signal_id: z.string(), outcome: z.enum(redriveOutcomes) }))
          .describe("Of those named; empty when none was."),
        has_more: z.boolean().describe("Other dead signals of the queue can be redriven."),
      }),
      "How many are in line again.",
    ),
  },
});
