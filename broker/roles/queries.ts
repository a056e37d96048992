import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { RoleRow } from "./row.ts";

/** The managed roles, then the custom ones of the org and of no org. */
export async function listRoles(db: Db, org: OrgId): Promise<RoleRow[]> {
  return db<RoleRow[]>`
    select * from roles where org_id is null or org_id = ${org} order by managed desc, id`;
}
