import { type Permission, type RoleType, rolePermissions } from "../../shared/permissions.ts";
import type { Actor } from "./actor.ts";
import type { CredentialRow } from "./credential-queries.ts";

/**
 * Who a token speaks for in an org: its own, or, for a person's token, another that the person's account has
 * a role in; undefined for any other org. A token with an account may do what both the token's role and the
 * account's roles in that org allow, so that a role taken from the account is taken from its tokens.
 */
export function actorOf(row: CredentialRow, org: string): Actor | undefined {
  const orgId = org as Actor["orgId"]; // an org of the row's own, checked in the next lines
  const accountRoles = row.account_roles?.[orgId];
  const isReached = org === row.org_id || (row.kind === "pat" && accountRoles !== undefined);
  if (!isReached) return undefined;
  return {
    id: row.account_id ?? row.id,
    kind: row.kind,
    orgId,
    tokenId: row.id,
    accountId: row.account_id,
    roleType: row.role_type,
    runnerId: row.runner_id,
    executionId: null,
    permissions: permissionsOf(row, accountRoles ?? []),
  };
}

/** A boot token may do nothing but enrol, which asks for no permission. */
function permissionsOf(
  row: CredentialRow,
  accountRoles: readonly RoleType[],
): ReadonlySet<Permission> {
  if (row.kind === "boot") return new Set();
  const ofToken = row.role_type === null ? undefined : rolePermissions[row.role_type];
  const ofAccount =
    row.account_id === null ? undefined : accountRoles.flatMap((type) => rolePermissions[type]);
  const both = ofToken === undefined ? (ofAccount ?? []) : intersect(ofToken, ofAccount);
  return new Set(row.token_type === "admin" && both.length > 0 ? [...both, "orgs.create"] : both);
}

function intersect(
  some: readonly Permission[],
  others: readonly Permission[] | undefined,
): readonly Permission[] {
  return others === undefined ? some : some.filter((one) => others.includes(one));
}
