import { z } from "zod";
import { appConfigStatuses } from "../../shared/api/app-configs.ts";

/** A row of `app_configs`. */
export const appConfigRow = z.object({
  id: z.string(),
  org_id: z.string(),
  app_id: z.string(),
  version: z.number(),
  status: z.enum(appConfigStatuses),
  status_description: z.string(),
  status_at: z.date(),
  previous_id: z.string().nullable(),
  checksum: z.string(),
  cli_version: z.string(),
  plan_only: z.boolean(),
  errors: z.unknown().nullable(),
  created_at: z.date(),
  created_by_id: z.string(),
});
export type AppConfigRow = z.infer<typeof appConfigRow>;
