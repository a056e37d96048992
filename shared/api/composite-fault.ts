import { z } from "@hono/zod-openapi";
import { faultCodes } from "../fault-codes.ts";

/** Why something of the control plane failed. */
export const compositeFaultSchema = z
  .object({
    code: z.enum(faultCodes).describe("For programs."),
    severity: z.enum(["fatal", "error", "warning", "info"]),
    title: z.string(),
    detail: z.string(),
    retryable: z.boolean(),
    facts: z
      .record(z.string(), z.string())
      .optional()
      .describe("What is known besides, such as the `permission` that is missing."),
    runner_job_id: z.string().optional(),
    step_id: z.string().optional(),
  })
  .openapi("CompositeErrorData");
