import { type Pointer, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRoleIds } from "../roles/find-role-ids.ts";
import { listRoles } from "../roles/queries.ts";
import { takeableRoles } from "../roles/takeable-roles.ts";
import type { Actor } from "../tokens/actor.ts";
import { aboveOwn } from "../tokens/token-rules.ts";
import { replaceRoles } from "./queries.ts";

type RolesWanted = {
  readonly accountId: string;
  readonly roles: readonly string[];
  readonly by: Actor;
  /** Where the request names its role, if not in a list `roles`. */
  readonly pointer?: Pointer | undefined;
};

/**
 * Sets the account's roles in the org; an empty list removes it from the org and revokes its tokens
 * there (a person's own token that reaches other orgs stays valid, without permissions in this one). 409 when the org would have no admin left,
 * 403 for a role that is given or taken with permissions that the caller lacks; what stays needs none.
 */
export async function setAccountRoles(db: Db, org: OrgId, change: RolesWanted): Promise<void> {
  const { accountId, by, pointer } = change;
  const roleIds = await findRoleIds(db, org, change.roles, { pointer });
  const takeable = takeableRoles(await listRoles(db, org), by);
  const replaced = { accountId, roleIds, takeable, byId: by.id };
  const { is_member, is_last_admin, beyond, above } = await replaceRoles(db, org, replaced);
  if (!is_member) throw problem.notFound("account");
  if (beyond.length > 0) await findRoleIds(db, org, beyond, { giver: by }); // says what the caller lacks
  if (above !== null) throw aboveOwn(`all of the role ${above}`);
  if (is_last_admin) {
    throw problem.conflict(
      "last_admin",
      "This account is the org's last admin. Make another account an admin first.",
    );
  }
}
