import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

type Foreign = { readonly name: string; readonly install_id: string };

/** One of these names that belongs to an install whose own runner this is not, and that install. */
export async function findForeign(
  db: Db,
  org: OrgId,
  { runnerId, ids }: { readonly runnerId: string; readonly ids: readonly string[] },
): Promise<Foreign | undefined> {
  const [row] = await db<Foreign[]>`
    select t.name, t.install_id
      from (select w.id as name, i.id as install_id from terraform_workspaces w ${ofOwner(db, "w")}
             where w.org_id = ${org} and w.id = any(${[...ids]}::text[])
             union all
            select c.id, i.id from helm_charts c ${ofOwner(db, "c")}
             where c.org_id = ${org} and c.id = any(${[...ids]}::text[])
             union all
            select r.id, r.install_id from install_action_runs r
             where r.org_id = ${org} and r.id = any(${[...ids]}::text[])) t
     where not exists (select from runners u join installs own on own.runner_group_id = u.runner_group_id
                        where u.org_id = ${org} and u.id = ${runnerId} and own.deleted_at is null and own.id = t.install_id)
     limit 1`;
  return row;
}

/** The install that a workspace or a chart belongs to, deleted or not: its owner. */
function ofOwner(db: Db, owned: "w" | "c"): postgres.Fragment {
  return db`
    join installs i on i.org_id = ${db(owned)}.org_id and i.id = ${db(owned)}.owner_id and ${isOfInstall(db, owned)}`;
}

/** Whether its owner is an install, by either word for it. */
export const isOfInstall = (db: Db, owned: string): postgres.Fragment =>
  db`${db(owned)}.owner_type in ('install', 'installs')`;
