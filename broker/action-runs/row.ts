import { z } from "zod";
import { actionStepStatuses } from "../../shared/api/action-runs.ts";

/** A row of `action_run_steps`: a step of a run, and the last word of its runner on it. */
export const actionRunStepRow = z.object({
  runner_job_id: z.string(),
  step_id: z.string(),
  org_id: z.string(),
  status: z.enum(actionStepStatuses),
  execution_duration: z.number(),
  updated_at: z.date(),
  name: z.string(),
  idx: z.number(),
});
export type ActionRunStepRow = z.infer<typeof actionRunStepRow>;
