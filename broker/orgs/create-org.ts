import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "./org-id.ts";
import { findOrg } from "./queries.ts";
import type { OrgRow } from "./row.ts";

/** Makes an org, and the account, if one is given, its admin. */
export async function createOrg(
  db: Db,
  org: {
    readonly name: string;
    readonly sandboxMode?: boolean | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly createdById: string;
    readonly adminAccountId: string | null;
    readonly requestSeed?: string | undefined;
  },
): Promise<OrgRow> {
  const id = keyedId("org", org.requestSeed);
  const before = org.requestSeed && (await findOrg(db, id as OrgId)); // an org's id, as it was just made
  if (before) return before;
  const rows = await db<OrgRow[]>`
    with org as (
      insert into orgs (id, name, sandbox_mode, tags, created_by_id)
      values (${id}, ${org.name}, ${org.sandboxMode ?? false}, ${[...(org.tags ?? [])]}::text[], ${org.createdById})
      returning *),
    admin as (
      insert into account_roles (account_id, org_id, role_id, created_by_id)
      select a.id, org.id, r.id, ${org.createdById}
        from org, accounts a, roles r
       where a.id = ${org.adminAccountId} and r.managed and r.role_type = 'org_admin')
    select * from org`;
  const [row] = rows;
  if (row === undefined) throw new Error("an insert returned no row");
  return row;
}
