import type { Account } from "../../shared/api/account.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { listRoles } from "../roles/queries.ts";
import type { Actor } from "../tokens/actor.ts";
import { findMember } from "./queries.ts";
import type { Member } from "./row.ts";
import { setAccountRoles } from "./set-account-roles.ts";
import { toAccount } from "./to-account.ts";

type Viewer = Pick<Actor, "accountId" | "orgId">;

/** The account, which has a role in the viewer's org; 404 for any other. */
export async function requireMember(
  db: Db,
  { orgId, accountId }: Viewer,
  id: string,
): Promise<Member> {
  const row = await findMember(db, orgId, id, accountId);
  if (row === undefined) throw problem.notFound("account");
  return row;
}

/** A service account that has a role in the viewer's org; 404 for any other. */
export async function requireServiceAccount(db: Db, by: Viewer, id: string): Promise<Member> {
  const row = await requireMember(db, by, id);
  if (row.account_type !== "service") throw problem.notFound("account");
  return row;
}

/** The account as the viewer's org has it now; 404 where it has no role there. */
export async function showAccount(db: Db, by: Viewer, id: string): Promise<Account> {
  const [row, roles] = await Promise.all([requireMember(db, by, id), listRoles(db, by.orgId)]);
  return toAccount(by.orgId, row, roles);
}

/** Removes an account from the caller's org, by the rules of all changes of roles; answers what it is then. */
export async function removeMember(db: Db, by: Actor, row: Member): Promise<Account> {
  const { orgId } = by;
  await setAccountRoles(db, orgId, { accountId: row.id, roles: [], by });
  const org_ids = row.org_ids.filter((id) => id !== orgId);
  return toAccount(orgId, { ...row, role_ids: [], org_ids }, []);
}
