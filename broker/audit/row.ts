import { z } from "zod";
import { auditOutcomes } from "../../shared/audit.ts";

/** A row of `audit_events`. */
export const auditEventRow = z.object({
  id: z.string(),
  org_id: z.string(),
  at: z.date(),
  started_at: z.date(),
  action: z.string(),
  permission: z.string(),
  outcome: z.enum(auditOutcomes),
  status: z.number().nullable(),
  code: z.string(),
  count: z.number(),
  actor_id: z.string(),
  actor_name: z.string(),
  account_id: z.string(),
  token_id: z.string(),
  token_hint: z.string(),
  target_type: z.string(),
  target_id: z.string(),
  parent_id: z.string(),
  ip: z.string(),
  user_agent: z.string(),
  request_id: z.string(),
  reason: z.string(),
  changes: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditEventRow = z.infer<typeof auditEventRow>;
