import { z } from "zod";
import { rolloutTargetStatuses } from "../../shared/rollout.ts";

/** A row of `runner_rollout_targets`. */
export const rolloutTargetRow = z.object({
  rollout_id: z.string(),
  position: z.number(),
  org_id: z.string(),
  runner_id: z.string(),
  process_id: z.string(),
  shutdown_id: z.string(),
  status: z.enum(rolloutTargetStatuses),
  status_description: z.string(),
  ordered_at: z.date().nullable(),
  ended_at: z.date().nullable(),
});
export type RolloutTargetRow = z.infer<typeof rolloutTargetRow>;
