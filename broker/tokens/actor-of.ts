import type { Permission } from "../../shared/permissions.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import type { Actor } from "./actor.ts";
import type { AccountRoles, FilerCredential } from "./credential-queries.ts";

/**
 * The caller that a token stands for in an org: its own, or another that it reaches and that its account has a role in;
 * undefined for any other org. Only a token that reaches its account's orgs acts for the account; any other acts
 * for itself. A token with an account may do what both the token's role and the account's roles in that org allow,
 * so that a role taken from the account is taken from its tokens.
 */
export function actorOf(row: FilerCredential, org: string): Actor | undefined {
  const orgId = org as Actor["orgId"]; // an org of the row's own, checked in the next lines
  const accountRoles = rolesIn(row, orgId);
  const isAccounts = row.reach === "account";
  const isReached = org === row.org_id || (isAccounts && accountRoles !== undefined);
  if (!isReached) return undefined;
  const accountId = isAccounts ? row.account_id : null;
  return {
    id: accountId ?? row.id,
    kind: row.kind,
    orgId,
    tokenId: row.id,
    accountId,
    roleType: row.role_type,
    runnerId: row.runner_id,
    executionId: null,
    bound: boundOf(row),
    permissions: permissionsOf(row, accountRoles ?? { types: [], grants: [], narrowed: [] }),
  };
}

function rolesIn({ account_roles: roles }: FilerCredential, org: OrgId) {
  return roles !== null && Object.hasOwn(roles, org) ? roles[org] : undefined;
}

function boundOf({ bound_type: type, bound_id: id }: FilerCredential): Actor["bound"] {
  return type === null || id === null ? null : { type, id };
}

/** A boot token can only enrol, which needs no permission. */
function permissionsOf(
  row: FilerCredential,
  { types, grants, narrowed }: AccountRoles,
): ReadonlySet<Permission> {
  if (row.kind === "boot") return new Set();
  const isBound = row.bound_id !== null;
  const { role_type: type, role_left: left } = row;
  const ofToken =
    type === null ? undefined : permissionsIn({ type, grants: row.grants, left }, isBound);
  const whole = types.map((one) => ({ type: one, left: null }));
  const ofRoles = [
    ...[...whole, ...narrowed].flatMap((role) => permissionsIn({ ...role, grants: [] }, isBound)),
    ...grants,
  ];
  const ofAccount = row.account_id === null ? undefined : ofRoles;
  const both = ofToken === undefined ? (ofAccount ?? []) : intersect(ofToken, ofAccount);
  return new Set(row.token_type === "admin" && both.length > 0 ? [...both, "orgs.create"] : both);
}

function intersect(
  some: readonly Permission[],
  others: readonly Permission[] | undefined,
): readonly Permission[] {
  return others === undefined ? some : some.filter((one) => others.includes(one));
}
