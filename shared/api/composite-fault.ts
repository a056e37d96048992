import { z } from "@hono/zod-openapi";
import { faultCodes } from "../fault-codes.ts";

const section = z.object({
  kind: z.enum(["code", "markdown", "text"]),
  heading: z.string(),
  body: z.string(),
});

/** Why something of the control plane failed; its member is left out where nothing did. */
export const compositeFaultSchema = z
  .object({
    type: z.string().describe("The same as `code`."),
    message: z.string().describe("Title and detail."),
    sections: z.array(section),
    hints: z.record(z.string(), z.string()),
    data: z.record(z.string(), z.unknown()).describe("The same as `facts`."),
    source_type: z.string().describe("What failed: `runner_jobs`, `install_workflow_steps` …"),
    source_id: z.string(),
    version: z.literal(1),
    code: z.enum(faultCodes).describe("For programs."),
    severity: z.enum(["fatal", "error", "warning", "info"]),
    title: z.string(),
    detail: z.string(),
    retryable: z.boolean(),
    facts: z
      .record(z.string(), z.string())
      .optional()
      .describe("Further facts, such as the missing `permission`."),
    runner_job_id: z.string().optional(),
    step_id: z.string().optional(),
  })
  .openapi("CompositeErrorData");
export type CompositeFault = z.infer<typeof compositeFaultSchema>;
