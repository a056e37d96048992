import type { AppChanges, NewApp } from "../../shared/api/app.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import { labelledBy, type LabelQuery } from "../labels/label-query.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { within } from "../tokens/bound/within.ts";
import type { AppRow } from "./row.ts";

/** What a list of apps is narrowed to. */
export type AppFilter = CreatedFilter & {
  readonly name?: string | undefined;
  readonly q?: string | undefined;
  readonly labels?: LabelQuery | undefined;
};
type AppsWanted = ListRequest & { readonly filter: AppFilter; readonly bound?: Bound | null };

/** Writes an app: created, same (its id), taken (the name) or full (the org has `most`). */
export async function insertApp(
  db: Db,
  org: OrgId,
  app: NewApp & { readonly id: string; readonly created_by_id: string },
  most: number,
): Promise<{ outcome: string; id: string | null } | undefined> {
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from create_app(${org}, ${JSON.stringify(app)}::text::json, ${most})`;
  return row;
}

/** Changes what is given: changed, not-found, stale or taken (the name). */
export async function writeApp(
  db: Db,
  org: OrgId,
  {
    id,
    version,
    changes,
  }: { readonly id: string; readonly version: number | undefined; readonly changes: AppChanges },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select change_app(${org}, ${id}, ${version ?? null}, ${JSON.stringify(changes)}::text::json) as outcome`;
  return row?.outcome;
}

/** Deletes an app: deleted, not-found or held (by the installs of these ids). */
export async function deleteAppRow(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly outcome: string; readonly ids: readonly string[] } | undefined> {
  const [row] = await db<{ outcome: string; ids: string[] }[]>`
    select * from delete_idle_app(${org}, ${id})`;
  return row;
}

/** An app that is not deleted. */
export async function findApp(db: Db, org: OrgId, id: string): Promise<AppRow | undefined> {
  const [row] = await db<AppRow[]>`
    select ${columns(db)} from apps a where a.org_id = ${org} and a.id = ${id} and a.deleted_at is null`;
  return row;
}

/** Apps that pass the filter, the newest first. Ids begin with their time: they are the order. */
export async function listApps(
  db: Db,
  org: OrgId,
  { filter, bound, after, limit, offset }: AppsWanted,
): Promise<(AppRow & { readonly sort_key: string })[]> {
  const { name, q, labels } = filter;
  return db<(AppRow & { sort_key: string })[]>`
    select ${columns(db)}, a.created_at::text as sort_key from apps a
     where a.org_id = ${org} and a.deleted_at is null and a.id < ${after?.id ?? "~"}
       ${within(db, "apps", bound)}
       ${labelledBy(db, db`a.default_labels`, labels)}
       ${createdWithin(db, db`a.created_at`, filter)}
       ${name === undefined ? db`` : db`and replace(a.name, '-', '_') = replace(${name}, '-', '_')`}
       ${q === undefined ? db`` : db`and (strpos(a.name, ${q.toLowerCase()}) > 0 or strpos(lower(a.display_name), ${q.toLowerCase()}) > 0)`}
     order by a.id desc limit ${limit} offset ${offset}`;
}

function columns(db: Db) {
  return db`
    a.id, a.org_id, a.name, a.display_name, a.description, a.config_repo, a.config_directory, a.default_labels, a.label_colors,
    a.links, a.runner_type, a.active_config_id, a.config_count, a.version, a.created_at, a.updated_at, a.created_by_id`;
}
