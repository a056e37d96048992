import { z } from "@hono/zod-openapi";

/** Why something of the control plane failed. */
export const compositeFaultSchema = z
  .object({
    code: z
      .string()
      .describe(
        "For programs: missing_value, render_failed, job_failed, job_timed_out, process_lost, approval_expired, runner_unavailable, " +
          "image_unsupported, repo_unsupported, internal.",
      ),
    severity: z.enum(["fatal", "error", "warning", "info"]),
    title: z.string(),
    detail: z.string(),
    retryable: z.boolean(),
    runner_job_id: z.string().optional(),
    step_id: z.string().optional(),
  })
  .openapi("CompositeErrorData");
