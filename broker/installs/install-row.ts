import { z } from "zod";
import { lifecyclePhases } from "../../shared/api/install.ts";

const texts = z.record(z.string(), z.string());

/** In which phases cron triggers run; in all others they rest. */
export const busyPhases: readonly (typeof lifecyclePhases)[number][] = [
  "active",
  "updating",
  "degraded",
];

/** A row of `installs`. */
export const installRow = z.object({
  id: z.string(),
  org_id: z.string(),
  app_id: z.string(),
  name: z.string(),
  install_number: z.number(),
  cloud_platform: z.enum(["aws", "azure", "gcp", "unknown"]),
  cloud_account: texts,
  labels: texts,
  app_default_labels: texts,
  label_templates: texts,
  expected_account: z.string(),
  metadata: texts,
  approval_option: z.enum(["prompt", "approve-all"]),
  sandbox_mode: z.boolean().nullable(),
  lifecycle_phase: z.enum(lifecyclePhases),
  phase_at: z.date(),
  phase_workflow_id: z.string().nullable(),
  applied_config_id: z.string().nullable(),
  runner_group_id: z.string(),
  runner_id: z.string(),
  has_own_runner: z.boolean(),
  inputs_version: z.number(),
  health: z.record(
    z.string(),
    z.object({
      status: z.enum(["healthy", "degraded"]),
      run_id: z.string(),
      at: z.string(),
      detail: z.string(),
    }),
  ),
  state_version: z.number(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
  deleted_at: z.date().nullable(),
});
export type InstallRow = z.infer<typeof installRow>;
