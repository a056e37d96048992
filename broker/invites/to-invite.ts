import type { Invite } from "../../shared/api/invites.ts";
import type { InviteRow } from "./row.ts";

/** An invitation as the API shows it. */
export function toInvite(row: InviteRow): Invite {
  return {
    id: row.id,
    org_id: row.org_id,
    org_name: row.org_name,
    account_id: row.account_id,
    role_ids: row.role_ids,
    status: statusOf(row),
    expires_at: row.expires_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

function statusOf({ accepted_at, revoked_at, is_expired }: InviteRow): Invite["status"] {
  if (accepted_at !== null) return "accepted";
  if (revoked_at !== null) return "revoked";
  return is_expired ? "expired" : "pending";
}
