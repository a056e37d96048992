import { z } from "zod";

const texts = z.record(z.string(), z.string());

/** A row of `apps`. */
export const appRow = z.object({
  id: z.string(),
  org_id: z.string(),
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  config_repo: z.string(),
  config_directory: z.string(),
  default_labels: texts,
  label_colors: texts,
  links: texts,
  runner_type: z.string().nullable(),
  active_config_id: z.string().nullable(),
  config_count: z.number(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type AppRow = z.infer<typeof appRow>;
