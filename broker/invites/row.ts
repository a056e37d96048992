import { z } from "zod";
import type { OrgId } from "../orgs/org-id.ts";

/** A row of `org_invites`. */
export const inviteRow = z.object({
  id: z.string(),
  org_id: z.custom<OrgId>((id) => typeof id === "string"),
  account_id: z.string(),
  role_ids: z.array(z.string()),
  created_at: z.date(),
  created_by_id: z.string(),
  expires_at: z.date(),
  accepted_at: z.date().nullable(),
  revoked_at: z.date().nullable(),
  revoked_by_id: z.string(),
});

/** An invitation with what is shown besides. */
export type InviteRow = z.infer<typeof inviteRow> & {
  readonly org_name: string;
  readonly is_expired: boolean;
  /** A role that it brings was deleted. */
  readonly lacks_role: boolean;
  readonly sort_key: string;
};
