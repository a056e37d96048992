import { z } from "@hono/zod-openapi";

/** Every cause for which a job can wait; clients switch on the word. */
export const waitingCodes = [
  "runner-disabled",
  "runner-deprovisioned",
  "runner-paused",
  "group-paused",
  "agent-updating",
  "no-process",
  "processes-draining",
  "process-not-registered",
  "group-not-served",
  "process-takes-none",
  "parallelism-zero",
  "group-full",
  "still-stopping",
  "predecessor-stopping",
  "withdrawn",
  "behind-others",
  "due-for-release",
  "on-offer",
] as const;
export type WaitingCode = (typeof waitingCodes)[number];

/** One cause in words; ids of what it speaks of stand beside them. */
export const waitingReasonSchema = z
  .object({
    code: z.enum(waitingCodes),
    detail: z.string().openapi({ example: "group deploy is full: 1 of 1 in use" }),
    job_ids: z.array(z.string()).optional(),
    process_ids: z.array(z.string()).optional(),
    until: z.iso.datetime().nullable().optional(),
  })
  .openapi("RunnerJobWaitingReason");
export type WaitingReason = z.infer<typeof waitingReasonSchema>;

/** Why a job waits, the weightiest cause first; the position counts from 1, null for a job that has a slot. */
export const waitingSchema = z
  .object({ reasons: z.array(waitingReasonSchema), position: z.int().nullable() })
  .openapi("RunnerJobWaiting");
export type Waiting = z.infer<typeof waitingSchema>;
