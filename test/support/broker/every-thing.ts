import type { Db } from "../../../broker/database/connect.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";

/** The ids of an org's rows by their three letters, each kind's first. */
export async function idsByPrefix(db: Db, orgId: OrgId): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of await tablesWith(db, "org_id", "id")) {
    const rows = await db<{ id: string }[]>`
      select id::text from ${db(table)} where org_id = ${orgId} and id::text ~ '^[a-z]{3}_[0-9a-z]{26}$' order by id`;
    for (const { id } of rows) if (!found.has(id.slice(0, 3))) found.set(id.slice(0, 3), id);
  }
  return found;
}

/** What agents and clocks move by themselves, and when tokens were used last. */
const restless = ["deadline_at", "used_at", "last_used_at"];

/** What an org has, a digest for each table: equal as long as nobody changes anything of it. */
export async function digestOfOrg(
  db: Db,
  orgId: OrgId,
  leftOut: readonly string[] = [],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const table of await tablesWith(db, "org_id")) {
    if (leftOut.includes(table)) continue;
    const [row] = await db<{ digest: string }[]>`
      select coalesce(string_agg(md5(r.row), '' order by md5(r.row)), '') as digest
        from ${db(table)} t cross join lateral (select (to_jsonb(t) - ${restless}::text[])::text as row) r where t.org_id = ${orgId}`;
    digests[table] = row?.digest ?? "";
  }
  return digests;
}

/** Tables, partitions left out, with all of these columns. */
async function tablesWith(db: Db, ...columns: string[]): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname = any(${columns}) and not a.attisdropped)
           = ${columns.length}
     order by 1`;
  return rows.map(({ name }) => name);
}
