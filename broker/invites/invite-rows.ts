import { invites } from "../../shared/api/invites.ts";
import type { RowOf } from "../../shared/resources/members.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Invitations to an org. */
export const inviteRows = rowsOf(invites, {
  from: ["org_invites i join orgs o on o.id = i.org_id", "i"],
  besides: {
    org_name: "o.name",
    status: `
      case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
           when i.expires_at <= svc_now() then 'expired' else 'pending' end`,
  },
});
export type InviteRow = RowOf<typeof invites.members>;
