import { z } from "zod";
import { runnerGroupTypes, runnerPlatforms } from "../../shared/runner-platforms.ts";

/** The columns that say whether a runner or a group is paused. */
export const pauseColumns = {
  paused_at: z.date().nullable(),
  paused_until: z.date().nullable(),
  paused_note: z.string().nullable(),
  paused_by_id: z.string().nullable(),
};

/** A row of `runner_groups`. */
export const runnerGroupRow = z.object({
  id: z.string(),
  org_id: z.string(),
  name: z.string(),
  owner_id: z.string(),
  owner_type: z.string(),
  type: z.enum(runnerGroupTypes),
  platform: z.enum(runnerPlatforms),
  ...pauseColumns,
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
  deleted_at: z.date().nullable(),
});
/** A group, and the install that has it now. */
export type RunnerGroupRow = z.infer<typeof runnerGroupRow> & {
  readonly install_id: string | null;
};

/** A row of `runner_group_settings`; what the broker only hands on is in `document`. */
export const runnerSettingsRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_group_id: z.string(),
  version: z.number(),
  groups: z.array(z.string()),
  job_group_parallelism: z.record(z.string(), z.string()),
  job_group_max_depth: z.number(),
  heart_beat_timeout: z.number(),
  sandbox_mode: z.boolean(),
  document: z.record(z.string(), z.unknown()),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type RunnerSettingsRow = z.infer<typeof runnerSettingsRow>;
