import { z } from "zod";
import { actionStepStatuses } from "../../shared/api/action-runs.ts";

/** A row of `action_run_steps`: the last word of a runner on a step. */
export const actionRunStepRow = z.object({
  runner_job_id: z.string(),
  step_id: z.string(),
  org_id: z.string(),
  status: z.enum(actionStepStatuses),
  execution_duration: z.number(),
  updated_at: z.date(),
});
export type ActionRunStepRow = z.infer<typeof actionRunStepRow>;
