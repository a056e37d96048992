import type { Account } from "../../shared/api/account.ts";
import { listJourneys } from "../account-records/queries.ts";
import type { Db } from "../database/connect.ts";
import { listRoles } from "../roles/queries.ts";
import type { ListedRole } from "../roles/row.ts";
import { allow } from "../roles/to-role.ts";
import { actorOf } from "../tokens/actor-of.ts";
import type { Actor } from "../tokens/actor.ts";
import { listCredentials } from "../tokens/credential-queries.ts";
import { findOwnToken } from "../tokens/find-own-token.ts";
import type { TokenRow } from "../tokens/row.ts";
import { findMember } from "./queries.ts";
import type { Member } from "./row.ts";
import { toAccount } from "./to-account.ts";

/**
 * The account of the caller's token, with what the token may do in each org that it reaches. A token that acts for itself is shown as
 * the account that limits it, where it may read accounts, else as an account of its own.
 */
export async function showOwnAccount(db: Db, actor: Actor): Promise<Account> {
  const { orgId } = actor;
  const token = await findOwnToken(db, actor);
  const mayRead =
    actor.bound === null && (actor.accountId !== null || actor.permissions.has("accounts.read"));
  const accountId = mayRead ? token.account_id : null;
  const [member, roles, permissions, journeys] = await Promise.all([
    accountId === null ? undefined : findMember(db, orgId, accountId, actor.accountId),
    listRoles(db, orgId),
    permissionsByOrg(db, actor, token),
    actor.accountId === null ? [] : listJourneys(db, actor.accountId),
  ]);
  const shown = mayRead ? roles : roles.map((role) => ({ ...role, creator: null }));
  const account = toAccount(orgId, member ?? accountOfToken(actor, token, roles), shown);
  return { ...account, permissions, user_journeys: journeys };
}

async function permissionsByOrg(
  db: Db,
  { orgId, permissions }: Actor,
  token: TokenRow,
): Promise<Account["permissions"]> {
  const [row] = await listCredentials(db, [Buffer.from(token.digest).toString("hex")]);
  const reached = row === undefined ? [] : [row.org_id, ...Object.keys(row.account_roles ?? {})];
  const elsewhere = reached.flatMap((org) => {
    const other = row && actorOf(row, org);
    return other === undefined ? [] : [[org, allow(other.permissions)] as const];
  });
  return { ...Object.fromEntries(elsewhere), [orgId]: allow(permissions) };
}

/** What a token is that has no account: its maker's name for it, with its own role. */
function accountOfToken({ orgId }: Actor, token: TokenRow, roles: readonly ListedRole[]): Member {
  const isOwn = (role: ListedRole) =>
    token.role_id === null
      ? role.managed && role.role_type === token.role_type
      : role.id === token.role_id;
  return {
    id: token.id,
    account_type: "service",
    name: token.name,
    email: "",
    subject: "",
    created_at: token.created_at,
    updated_at: token.updated_at,
    created_by_id: token.created_by_id,
    role_ids: roles.filter(isOwn).map(({ id }) => id),
    org_ids: [orgId],
    sort_key: "",
  };
}
