import { problem } from "../../shared/problem.ts";
import type { Member } from "../accounts/row.ts";
import type { Db } from "../database/connect.ts";
import { listRoles } from "../roles/queries.ts";
import { factsOf } from "../roles/row.ts";
import type { Actor } from "./actor.ts";
import type { Authenticator } from "./authenticator.ts";
import { createToken } from "./create-token.ts";
import { instantIn, revokeOthersOf } from "./queries.ts";
import type { TokenWithSecret } from "./row.ts";
import { reachOfNew } from "./token-rules.ts";

type Parts = { readonly db: Db; readonly authenticator: Authenticator };
type Wanted = { readonly durationNs: number; readonly isOnly: boolean };

/**
 * Makes a token of a service account with its one role, which permits no more than the caller may; 409 for an account with several. As
 * its only one, it takes the place of the others in the org, which permit no more than the account's role.
 */
export async function createServiceToken(
  { db, authenticator }: Parts,
  by: Actor,
  account: Member,
  { durationNs, isOnly }: Wanted,
): Promise<TokenWithSecret> {
  const roles = (await listRoles(db, by.orgId)).filter(({ id }) => account.role_ids.includes(id));
  const [role] = roles;
  if (role === undefined || roles.length > 1) {
    const detail =
      "This account has several roles here. Name the one that the token is to have: POST /v1/tokens.";
    throw problem.conflict("several_roles", detail);
  }
  const { left } = factsOf(role);
  const isOrgs = role.org_id !== null;
  const facts = {
    kind: "sa",
    role: role.role_type,
    grants: role.grants,
    accountId: account.id,
  } as const;
  const reach = reachOfNew(by, { ...facts, left, isAdmin: false, isBound: false });
  const made = await createToken(db, by.orgId, {
    ...facts,
    reach,
    roleId: isOrgs ? role.id : undefined,
    name: account.name || "service account",
    expiresAt: await instantIn(db, durationNs),
    createdById: by.id,
  });
  if (isOnly) {
    const others = { accountId: account.id, exceptId: made.row.id };
    authenticator.forget(await revokeOthersOf(db, by.orgId, others));
  }
  return made;
}
