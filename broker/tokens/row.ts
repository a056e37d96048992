import { z } from "zod";
import { tokenTypes } from "../../shared/api/tokens.ts";
import { boundTypes, grantablePermissions, roleTypes } from "../../shared/permissions.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** A row of `tokens`. */
export const tokenRow = z.object({
  id: z.string(),
  org_id: z.custom<OrgId>((id) => typeof id === "string"),
  digest: z.instanceof(Uint8Array),
  hint: z.string(),
  kind: z.enum(["pat", "sa", "rt", "boot", "st", "it"]),
  reach: z.enum(["org", "account"]),
  token_type: z.enum(tokenTypes),
  name: z.string(),
  account_id: z.string().nullable(),
  runner_id: z.string().nullable(),
  role_type: z.enum(roleTypes).nullable(),
  role_id: z.string().nullable(),
  grants: z.array(z.enum(grantablePermissions)),
  bound_type: z.enum(boundTypes).nullable(),
  bound_id: z.string().nullable(),
  issuer: z.string(),
  source_id: z.string(),
  source_type: z.string(),
  issued_at: z.date(),
  expires_at: z.date().nullable(),
  used_at: z.date().nullable(),
  last_used_at: z.date().nullable(),
  revoked_at: z.date().nullable(),
  replaced_by: z.string().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type TokenRow = z.infer<typeof tokenRow>;
/** Whether a token acts in its own org only, or for its account in all orgs of that. */
export type TokenReach = TokenRow["reach"];

/** The columns of a new secret. */
export type Minted = {
  readonly id: string;
  readonly secret: string;
  readonly digest: Buffer;
  readonly hint: string;
};
/** A token and, for the caller that made it, its secret. */
export type TokenWithSecret = { readonly row: TokenRow; readonly secret: string };
