import { z } from "zod";

/** A row of `install_configs`. */
export const installConfigRow = z.object({
  id: z.string(),
  org_id: z.string(),
  install_id: z.string(),
  approval_option: z.enum(["prompt", "approve-all"]).nullable(),
  component_toggles: z.record(z.string(), z.boolean()),
  labels: z.record(z.string(), z.string()),
  telemetry_enabled: z.boolean().nullable(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type InstallConfigRow = z.infer<typeof installConfigRow>;
