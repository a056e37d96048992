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
  retain_jobs_days: z.number().nullable(),
  retain_logs_days: z.number().nullable(),
  retain_heart_beats_days: z.number().nullable(),
  retain_health_checks_days: z.number().nullable(),
  retain_audit_days: z.number().nullable(),
  prevent_self_approval: z.boolean(),
  auto_skip_noops: z.boolean(),
  sandbox_mode: z.boolean(),
  tags: z.array(z.string()),
});
export type OrgRow = z.infer<typeof orgRow>;
