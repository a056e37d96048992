import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Sealed } from "../seals/seals.ts";

/** A login of an org to a registry that has users of its own. */
export type FixedLogin = { readonly username: string; readonly password: Sealed };

/** The org's login of a use; undefined where it has none. */
export async function findFixedLogin(
  db: Db,
  org: OrgId,
  use: "push" | "pull",
): Promise<FixedLogin | undefined> {
  const [row] = await db<{ username: string; key_id: string | null; password: Buffer }[]>`
    select f.username, f.key_id, f.password from registry_fixed_logins f where f.org_id = ${org} and f.use = ${use}`;
  if (row === undefined) return undefined;
  return { username: row.username, password: { keyId: row.key_id, bytes: row.password } };
}
