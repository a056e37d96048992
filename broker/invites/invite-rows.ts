import { invites } from "../../shared/api/invites.ts";
import type { RowOf } from "../../shared/resources/members.ts";
import { rowsOf } from "../resources/rows-of.ts";

const statusSql = `
      case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
           when i.expires_at <= svc_now() then 'expired' else 'pending' end`;
const since = `
      coalesce(i.accepted_at, i.revoked_at, case when i.expires_at <= svc_now() then i.expires_at end, i.resent_at, i.created_at)`;

/** Invitations to an org. */
export const inviteRows = rowsOf(invites, {
  from: ["org_invites i join orgs o on o.id = i.org_id", "i"],
  besides: {
    org_name: "o.name",
    account_id: "coalesce(i.account_id, '')",
    role_type: "(select r.role_type from roles r where r.id = i.role_ids[1])",
    status: statusSql,
    status_v2: `
      json_build_object('status', case ${statusSql} when 'accepted' then 'success' when 'revoked' then 'cancelled' else ${statusSql} end,
                        'status_human_description', '', 'created_at_ts', (extract(epoch from ${since}) * 1000)::bigint,
                        'metadata', '{}'::json, 'history', '[]'::json)`,
    updated_at: "greatest(i.created_at, i.resent_at, i.accepted_at, i.revoked_at)",
  },
});
export type InviteRow = RowOf<typeof invites.members>;
