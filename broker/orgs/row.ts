import { z } from "zod";
import type { OrgId } from "./org-id.ts";

/** A row of `orgs`. */
export const orgRow = z.object({
  id: z.custom<OrgId>((id) => typeof id === "string"),
  name: z.string(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type OrgRow = z.infer<typeof orgRow>;
