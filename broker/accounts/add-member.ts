import { rolePermissions } from "../../shared/permissions.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { findRoleIds } from "../roles/find-role-ids.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnPermissions } from "../tokens/token-rules.ts";
import { addMemberFrom, findMember } from "./queries.ts";

const role = "org_read_only";

/**
 * Lets an account of another org read the caller's, where the caller's own account is an admin of that other org: 404 for any other. An
 * account that is here already stays as it is. Only a person's own token with all roles of its account may.
 */
export async function addMember(db: Db, by: Actor, accountId: string): Promise<void> {
  const { orgId } = by;
  requireOwnPermissions(by, rolePermissions[role]);
  if ((await findMember(db, orgId, accountId, null)) !== undefined) return;
  const [roleId = ""] = await findRoleIds(db, orgId, [role]);
  const isOwn = by.accountId !== null && by.roleType === null;
  const added = { accountId, roleId, byId: by.accountId ?? "" };
  if (!isOwn || !(await addMemberFrom(db, orgId, added))) throw problem.notFound("account");
}
