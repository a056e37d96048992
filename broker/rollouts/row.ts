import { z } from "zod";
import { shutdownTypes } from "../../shared/api/runner-process-shutdown.ts";
import { rolloutStatuses, rolloutTargetStatuses } from "../../shared/rollout.ts";

/** A row of `runner_rollouts`. */
export const rolloutRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_group_id: z.string().nullable(),
  type: z.enum(shutdownTypes),
  status: z.enum(rolloutStatuses),
  status_description: z.string(),
  reason: z.string(),
  max_at_once: z.number(),
  include_last: z.boolean(),
  cancelled_by_id: z.string().nullable(),
  deadline_at: z.date().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});

/** A rollout with the counts of its processes. */
export type RolloutRow = Omit<z.infer<typeof rolloutRow>, "deadline_at"> & {
  readonly cut_after_ns: number;
  readonly counts: Readonly<Record<(typeof rolloutTargetStatuses)[number], number>>;
};

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
