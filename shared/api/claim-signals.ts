import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { ruleOfAct } from "../queue-acts.ts";
import { signalStatuses } from "../queue-signal.ts";
import { createRoute } from "./create-route.ts";
import { cutText, mostStatusDescription } from "./cut-text.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";
import { signalContextSchema } from "./signal.ts";

const tags = ["Queues"];
const minuteNs = 60 * secondNs;
const hourNs = 60 * minuteNs;
const mostSignals = 100;
const longestWaitNs = 25 * secondNs;
export const mostResultBytes = 64 * 1024;
export const defaultLeaseNs = 30 * secondNs;

// What workers do is told by their signals, as what runners do by their jobs.
const claiming = { ...ruleOfAct("claim"), audit: "none" } as const;
const reporting = { ...ruleOfAct("report"), audit: "none" } as const;
const name = z.string().min(1).max(128);
const lease = durationInput({ minNs: 5 * secondNs, maxNs: hourNs }).optional();
const leaseId = z.string().min(1).max(64).describe("The lease that the claim answered.");
const result = z
  .record(z.string(), z.unknown())
  .optional()
  .describe("What it came to: an object, at most 64 KiB. Callbacks pass it on. Stored sealed.");

export const claimedSignalSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    queue_id: z.string(),
    type: z.string(),
    owner_id: z.string(),
    owner_type: z.string(),
    signal: z.record(z.string(), z.unknown()).describe("The data, as it was enqueued."),
    signal_context: signalContextSchema,
    dedupe_key: z.string().nullable(),
    emitter_id: z.string().nullable(),
    execution_count: z.int().describe("This execution included."),
    max_executions: z.int(),
    expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    lease_id: z.string().describe("Every report of this execution names it."),
    lease_until: z.iso.datetime(),
    cause: z
      .object({
        signal_id: z.string(),
        type: z.string().nullable(),
        status: z.enum(signalStatuses).nullable(),
        status_description: z.string().nullable(),
        result: z.record(z.string(), z.unknown()).nullable(),
        finished_at: z.iso.datetime().nullable(),
      })
      .nullable()
      .describe("How the signal ended that this callback follows."),
  })
  .openapi("ClaimedSignal");

export const claimSignalsRoute = createRoute("claimSignals", {
  post: "/v1/queues/{queue_id}/signals/claim",
  rule: { ...claiming, unmetered: true, ownPermit: true },
  tags,
  summary: "Claim signals of a queue, as its worker",
  description:
    "Waits until it is a signal's turn, or `wait` is over. Each signal is leased to the caller: complete it, fail it, or extend the " +
    "lease, by its `lease_id`. A lease that runs out goes back: the signal is the first in line again. Repeating a claim with the " +
    "same `claim_id` answers the same signals while they are leased, and their leases are renewed; a newer claim ends a parked one with the same `claim_id`. " +
    "409 `queue_paused`: also for a claim that was parked when the queue was paused.",
  body: z.strictObject({
    worker: name.optional().describe("Name of the worker, shown with the signal."),
    claim_id: name.optional().describe("New for each claim; the same when it is repeated."),
    max: z
      .int()
      .min(1)
      .max(mostSignals)
      .default(1)
      .describe("How many signals at most; their data is about 4 MiB at most."),
    lease: lease.describe("5s to 1h, by default 30s."),
    wait: durationInput({ minNs: 0, maxNs: hourNs })
      .transform((ns) => Math.min(ns, longestWaitNs))
      .optional()
      .openapi({
        type: "integer",
        description:
          "Nanoseconds, or text like `10s`; at most and by default 25s. 0: it does not wait.",
      }),
  }),
  responses: {
    200: json(
      z.object({ signals: z.array(claimedSignalSchema), now: z.iso.datetime() }),
      "The claimed signals, in the order of the queue.",
    ),
  },
});

const reportedSchema = z
  .object({
    id: z.string(),
    queue_id: z.string(),
    status: z.enum(signalStatuses),
    lease_until: z.iso.datetime().nullable().describe("null: no one holds it any more."),
  })
  .openapi("ReportedSignal");
const responses = { 200: json(reportedSchema, "How the signal stands now.") };
const path = "/v1/queues/{queue_id}/signals/{signal_id}";
const lost =
  "409 `lease_lost`: another claim has the signal, or it has ended; stop this execution.";

export const completeSignalRoute = createRoute("completeSignal", {
  post: `${path}/complete`,
  rule: { ...reporting, verbatim: ["result"], ownPermit: true },
  tags,
  summary: "Report that a claimed signal's execution succeeded",
  description: `The signal is finished, and its callbacks follow. Repeating it with the same lease answers the same. ${lost}`,
  body: z.strictObject({ lease_id: leaseId, result }),
  responses,
});

export const failSignalRoute = createRoute("failSignal", {
  post: `${path}/fail`,
  rule: { ...reporting, verbatim: ["result"], ownPermit: true },
  tags,
  summary: "Report that a claimed signal's execution failed",
  description:
    "The signal is retried after its back-off while executions remain; else it is dead, and its callbacks follow. Repeating it with " +
    `the same lease answers the same. ${lost}`,
  body: z.strictObject({
    lease_id: leaseId,
    description: cutText(mostStatusDescription).describe("Why it failed, for people."),
    retry: z.boolean().default(true).describe("false: it is dead, whatever remains."),
    retry_after: durationInput({ minNs: 0, maxNs: 24 * hourNs })
      .optional()
      .openapi({
        type: "integer",
        description: "Nanoseconds, or text like `15m`, at most 24h, instead of its own back-off.",
      }),
    result,
  }),
  responses,
});

export const extendSignalRoute = createRoute("extendSignal", {
  post: `${path}/extend`,
  rule: { ...reporting, ownPermit: true },
  tags,
  summary: "Extend the lease of a claimed signal",
  description: `From now on, for as long as before unless \`lease\` says how long. ${lost}`,
  body: z.strictObject({
    lease_id: leaseId,
    lease: lease.describe("5s to 1h; later ones without it last as long."),
  }),
  responses,
});
