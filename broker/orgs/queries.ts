import type { OrgChanges } from "../../shared/api/orgs.ts";
import type { Retained } from "../../shared/retention.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "./org-id.ts";
import type { OrgRow } from "./row.ts";

/** The org itself. */
export async function findOrg(db: Db, org: OrgId): Promise<OrgRow | undefined> {
  const [row] = await db<OrgRow[]>`select * from orgs where id = ${org}`;
  return row;
}

/** The oldest org that this creator made. */
export async function findOrgMadeBy(db: Db, createdById: string): Promise<OrgRow | undefined> {
  const [row] = await db<OrgRow[]>`
    select * from orgs where created_by_id = ${createdById} order by created_at, id limit 1`;
  return row;
}

/** The orgs that the account has a role in, and `org` in any case; the newest first. */
export async function listOrgs(
  db: Db,
  org: OrgId,
  { accountId, q }: { readonly accountId: string | null; readonly q?: string | undefined },
  page: ListRequest,
): Promise<(OrgRow & { sort_key: string })[]> {
  return db<(OrgRow & { sort_key: string })[]>`
    select o.*, o.created_at::text as sort_key
      from orgs o
     where (o.id = ${org} or o.id in (select org_id from account_roles where account_id = ${accountId}))
       ${q === undefined ? db`` : db`and strpos(lower(o.name), ${q.toLowerCase()}) > 0`}
       and (${page.after === undefined}
            or (o.created_at, o.id) < (${page.after?.sortKey ?? "infinity"}::text::timestamptz, ${page.after?.id ?? ""}))
     order by o.created_at desc, o.id desc
     limit ${page.limit} offset ${page.offset}`;
}

/** Changes the org, which keeps its version where all stays the same; undefined when it is not at the version asked for. */
export async function updateOrg(
  db: Db,
  org: OrgId,
  { changes, version }: { readonly changes: OrgChanges; readonly version: number | undefined },
): Promise<OrgRow | undefined> {
  const { name = null, retention_days: retained = {}, prevent_self_approval: prevents } = changes;
  const {
    use_sandbox_mode: isSandbox = null,
    tags = null,
    auto_skip_noops: skips = null,
  } = changes;
  const days = (kind: Retained) => db`
    case when asked.days ? ${kind} then (asked.days ->> ${kind})::int else ${db(`retain_${kind}_days`)} end`;
  const isOther = db`
    (name, prevent_self_approval, auto_skip_noops, sandbox_mode, tags, retain_jobs_days, retain_logs_days, retain_heart_beats_days, retain_health_checks_days,
     retain_audit_days) is distinct from
    (coalesce(${name}, name), coalesce(${prevents ?? null}::boolean, prevent_self_approval),
     coalesce(${skips}::boolean, auto_skip_noops), coalesce(${isSandbox}::boolean, sandbox_mode), coalesce(${tags}::text[], tags), ${days("jobs")},
     ${days("logs")}, ${days("heart_beats")}, ${days("health_checks")}, ${days("audit")})`;
  const [row] = await db<OrgRow[]>`
    update orgs
       set name = coalesce(${name}, name),
           prevent_self_approval = coalesce(${prevents ?? null}::boolean, prevent_self_approval),
           auto_skip_noops = coalesce(${skips}::boolean, auto_skip_noops),
           sandbox_mode = coalesce(${isSandbox}::boolean, sandbox_mode), tags = coalesce(${tags}::text[], tags),
           version = version + (${isOther})::int, updated_at = case when ${isOther} then svc_now() else updated_at end,
           retain_jobs_days = ${days("jobs")}, retain_logs_days = ${days("logs")},
           retain_heart_beats_days = ${days("heart_beats")},
           retain_health_checks_days = ${days("health_checks")}, retain_audit_days = ${days("audit")}
      from (select ${JSON.stringify(retained)}::text::jsonb as days) asked
     where id = ${org} and version = coalesce(${version ?? null}, version)
    returning orgs.*`;
  return row;
}

/** Orgs that keep something for a shorter time than the broker does, in another order each time. */
export async function listOrgsWithRetention(db: Db, most: number): Promise<OrgRow[]> {
  return db<OrgRow[]>`
    select * from orgs
     where coalesce(retain_jobs_days, retain_logs_days, retain_heart_beats_days,
                    retain_health_checks_days, retain_audit_days) is not null
     order by random() limit ${most}`;
}

/** How many apps and installs the org has. */
export async function countThings(
  db: Db,
  org: OrgId,
): Promise<{ readonly app_count: number; readonly install_count: number }> {
  const [row] = await db<{ app_count: number; install_count: number }[]>`
    select (select count(*) from apps where org_id = ${org} and deleted_at is null)::int as app_count,
           (select count(*) from installs where org_id = ${org} and deleted_at is null)::int as install_count`;
  return row ?? { app_count: 0, install_count: 0 };
}
