import { z } from "zod";

/** A row of `app_secrets`. */
export const appSecretRow = z.object({
  id: z.string(),
  org_id: z.string(),
  app_id: z.string(),
  name: z.string(),
  length: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type AppSecretRow = z.infer<typeof appSecretRow>;
