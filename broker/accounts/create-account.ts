import { type Pointer, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRoleIds } from "../roles/find-role-ids.ts";
import type { Actor } from "../tokens/actor.ts";
import { findMember, insertMember } from "./queries.ts";
import type { Member } from "./row.ts";

export type NewAccount = {
  readonly accountType: string;
  readonly name: string;
  readonly email: string;
  readonly subject: string;
  /** Role ids, or role types of managed roles. */
  readonly roles: readonly string[];
  readonly createdById: string;
  readonly giver?: Pick<Actor, "permissions" | "requestSeed">;
  /** Where the request names its role, if not in a list `roles`. */
  readonly pointer?: Pointer | undefined;
};

/** Makes an account with these roles in the org; 409 when its subject is another account's. */
export async function createAccount(
  db: Db,
  org: OrgId,
  { giver, pointer, ...account }: NewAccount,
): Promise<Member> {
  const roleIds = await findRoleIds(db, org, account.roles, { giver, pointer });
  const id = keyedId("acc", giver?.requestSeed);
  const before = giver?.requestSeed && (await findMember(db, org, id, null));
  if (before) return before;
  const row = await insertMember(db, org, { ...account, id, roleIds });
  if (row === undefined) {
    throw problem.conflict(
      "subject_taken",
      "An account with this type and subject already exists.",
    );
  }
  return row;
}
