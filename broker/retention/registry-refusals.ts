import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Why a registry does not delete what it is asked to: it deletes nothing of anybody, or refuses the org's login. */
export type RegistryRefusal = {
  readonly reason: "unsupported" | "refused";
  readonly detail: string;
};

/** What a registry refused to an org within the last day; undefined where it refused nothing. */
export async function findRefusal(
  db: Db,
  org: OrgId,
  server: string,
): Promise<RegistryRefusal | undefined> {
  const unsupported = await findUnsupported(db, server);
  if (unsupported !== undefined) return { reason: "unsupported", detail: unsupported };
  const [row] = await db<{ detail: string }[]>`
    select r.detail from registry_login_refusals r
     where r.org_id = ${org} and r.server = ${server} and r.refused_at > svc_now() - interval '1 day'`;
  return row && { reason: "refused", detail: row.detail };
}

/** In which words a registry said within the last day that it deletes nothing; undefined where it did not. */
export async function findUnsupported(db: Db, server: string): Promise<string | undefined> {
  const [row] = await db<{ detail: string }[]>`
    select r.detail from registry_refusals r
     where r.server = ${server} and r.refused_at > svc_now() - interval '1 day'`;
  return row?.detail;
}

/** Remembers that a registry deletes nothing. */
export async function noteUnsupported(db: Db, server: string, detail: string): Promise<void> {
  await db`
    insert into registry_refusals (server, detail, refused_at) values (${server}, ${detail}, svc_now())
        on conflict (server) do update set detail = excluded.detail, refused_at = excluded.refused_at`;
}

/** Remembers that a registry refused an org's login. */
export async function noteRefused(
  db: Db,
  org: OrgId,
  { server, detail }: { readonly server: string; readonly detail: string },
): Promise<void> {
  await db`
    insert into registry_login_refusals (org_id, server, detail, refused_at) values (${org}, ${server}, ${detail}, svc_now())
        on conflict (org_id, server) do update set detail = excluded.detail, refused_at = excluded.refused_at`;
}

/** Forgets both: the registry deletes what this org has there. */
export async function forgetRefusals(db: Db, org: OrgId, server: string): Promise<void> {
  await db`
    with unsupported as (delete from registry_refusals r where r.server = ${server})
    delete from registry_login_refusals r where r.org_id = ${org} and r.server = ${server}`;
}
