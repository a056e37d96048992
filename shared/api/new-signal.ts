import { z } from "@hono/zod-openapi";
import { checkSignal } from "../check-signal.ts";
import { secondNs } from "../duration.ts";
import { mostEntries } from "../most-entries.ts";
import { signalEnds } from "../queue-signal.ts";
import { httpCallSchema, signalTypeNames } from "../signal-types.ts";
import { durationInput } from "./duration.ts";
import { newRunnerJobSchema } from "./enqueue-jobs.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { jobOwner } from "./job-owner.ts";

const dayNs = 86_400 * secondNs;
const longestExpiryNs = 90 * dayNs; // in nanoseconds, and still exact
const mostExecutions = 100;
const mostCallbacks = 8;
const mostValues = 100;

/** The members that a signal has wherever it is described: at its enqueue, in a callback, in an emitter. */
export const signalMembers = {
  type: z.string().max(100).describe(signalTypeNames),
  signal: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Its data: what its type takes. At most 256 KiB as text. Workers get this text."),
  dedupe_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("While a live signal of the queue has it, another with the same is not enqueued."),
  expires_in: durationInput({ minNs: secondNs, maxNs: longestExpiryNs }).optional().openapi({
    type: "integer",
    description: "How long it may wait to be executed: nanoseconds, or text like `15m`.",
  }),
  max_executions: z.int().min(1).max(mostExecutions).default(3),
  retry_delay: durationInput({ minNs: secondNs, maxNs: 3600 * secondNs })
    .default(10 * secondNs)
    .openapi({
      type: "integer",
      description:
        "Back-off after a failed execution, doubled each time: nanoseconds, or text like `15m`.",
    }),
};

type Typed = { readonly type: string; readonly signal: Readonly<Record<string, unknown>> };

/** Tells zod what is wrong with `signal` by the type's schema. */
export function refineSignal({ type, signal }: Typed, ctx: z.RefinementCtx): void {
  for (const fault of checkSignal(type, signal)) {
    const { path, message, code } = fault;
    // What zod found is told as zod found it; what we did, by our code.
    if (code === "unknown_type") ctx.addIssue({ code: "custom", path, message, params: { code } });
    else ctx.addIssue({ ...fault, input: signal } as Parameters<typeof ctx.addIssue>[0]);
  }
}

export const queueIdInput = idParam("queue_id", "que");

const nextSignalSchema = z
  .strictObject({ queue_id: queueIdInput, ...signalMembers })
  .superRefine(refineSignal);

const callbackSchema = z
  .strictObject({
    on: z
      .array(z.enum(signalEnds))
      .min(1)
      .max(signalEnds.length)
      .default([...signalEnds])
      .describe("Ends that it follows. Default: all."),
    signal: nextSignalSchema.optional().describe("A signal to enqueue."),
    runner_job: newRunnerJobSchema
      .safeExtend({ runner_id: idParam("runner_id", "run") })
      .optional()
      .describe("A job to enqueue for a runner."),
    http_call: httpCallSchema.optional().describe("An HTTP call to make."),
  })
  .refine(
    (given) =>
      [given.signal, given.runner_job, given.http_call].filter((one) => one !== undefined)
        .length === 1,
    {
      params: { code: "callback_kind" },
      message: "Send exactly one of signal, runner_job and http_call.",
    },
  )
  .openapi("NewSignalCallback");
export type NewSignalCallback = z.infer<typeof callbackSchema>;

/** A signal as a control plane enqueues it. */
export const newSignalSchema = z
  .strictObject({
    ...signalMembers,
    owner_id: jobOwner.optional(),
    owner_type: jobOwner.optional(),
    expires_at: instantInput
      .optional()
      .describe("It is not executed after this instant. In the future."),
    context: z
      .record(z.string().min(1).max(256), z.string().max(4096))
      .check(mostEntries(mostValues, `At most ${mostValues} entries are allowed.`))
      .optional()
      .describe("The caller's own notes, visible to everyone who can read the signal."),
    awaited_by: idParam("awaited_by", "sig")
      .optional()
      .describe("The live signal that does not end before this one; it must be in another queue."),
    callback: callbackSchema.optional().describe("What follows its end; the first of `callbacks`."),
    callbacks: z.array(callbackSchema).max(mostCallbacks).optional(),
  })
  .superRefine(refineSignal)
  .superRefine(({ expires_at, expires_in, callback, callbacks = [] }, ctx) => {
    if (expires_at !== undefined && expires_in !== undefined) {
      const message = "Send expires_at or expires_in, not both.";
      ctx.addIssue({
        code: "custom",
        path: ["expires_in"],
        message,
        params: { code: "expires_twice" },
      });
    }
    if (callback !== undefined && callbacks.length >= mostCallbacks) {
      const message = `At most ${mostCallbacks} callbacks are allowed, callback included.`;
      ctx.addIssue({
        code: "custom",
        path: ["callbacks"],
        message,
        params: { code: "too_many_callbacks" },
      });
    }
  })
  .openapi("NewQueueSignal", {
    example: { type: "sync-install", signal: { install_id: "ins_1" }, dedupe_key: "sync ins_1" },
  });
export type NewSignalBody = z.infer<typeof newSignalSchema>;
