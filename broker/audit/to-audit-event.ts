import type { AuditEventBody } from "../../shared/api/audit.ts";
import type { AuditEventRow } from "./row.ts";

/** An event of the audit log as the API shows it. */
export function toAuditEvent(row: AuditEventRow): AuditEventBody {
  return {
    id: row.id,
    org_id: row.org_id,
    at: row.at.toISOString(),
    started_at: row.started_at.toISOString(),
    action: row.action,
    permission: row.permission || null,
    outcome: row.outcome,
    status: row.status,
    code: row.code,
    count: row.count,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    account_id: row.account_id || null,
    token_id: row.token_id || null,
    token_hint: row.token_hint,
    target_type: row.target_type,
    target_id: row.target_id || null,
    parent_id: row.parent_id || null,
    ip: row.ip,
    user_agent: row.user_agent,
    request_id: row.request_id,
    reason: row.reason,
    ...(row.changes && { changes: row.changes }),
  };
}
