import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { AppConfigRow } from "./row.ts";

type Named = { readonly name: string; readonly id: string };

/** A checked config that is to become the active one, and what it says of its app. */
export type ConfigDraft = {
  readonly id: string;
  readonly name: string;
  readonly checksum: string;
  readonly document: string;
  readonly brands: readonly string[];
  /** What the check said of it, as it is shown. */
  readonly remarks: { readonly warnings: readonly object[]; readonly notices: readonly object[] };
  readonly cli_version: string;
  readonly display_name: string | undefined;
  readonly description: string | undefined;
  readonly default_labels: object;
  readonly label_colors: object;
  readonly links: object;
  readonly runner_type: string | undefined;
  readonly created_by_id: string;
  /** What changes is built once it is in force. */
  readonly builds: boolean;
  /** What it has by name; an app keeps the ids of what it had before. */
  readonly actions: readonly (Named & { readonly config_id: string; readonly labels: object })[];
  readonly components: readonly Named[];
  readonly runbooks: readonly Named[];
};

/** Makes a draft, the JSON of one, active: created, same, not-found, other-app (its name) or changed (the base is another). */
export async function activateConfig(
  db: Db,
  org: OrgId,
  app: string,
  { draft, base }: { readonly draft: string; readonly base: string | undefined },
): Promise<{ readonly outcome: string; readonly id: string | null } | undefined> {
  const [row] = await db<{ outcome: string; id: string | null }[]>`
    select * from sync_app_config(${org}, ${app}, ${draft}::text::json, ${base ?? null})`;
  return row;
}

/** A config of an app that is not deleted. */
export async function findConfig(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
): Promise<AppConfigRow | undefined> {
  const [row] = await db<AppConfigRow[]>`
    select ${columns(db)} from app_configs c join apps a on a.org_id = c.org_id and a.id = c.app_id
     where c.org_id = ${org} and c.app_id = ${app} and c.id = ${id} and a.deleted_at is null`;
  return row;
}

/** A config of whatever app. */
export async function findConfigOfAny(
  db: Db,
  org: OrgId,
  id: string,
): Promise<AppConfigRow | undefined> {
  const [row] = await db<AppConfigRow[]>`
    select ${columns(db)} from app_configs c where c.org_id = ${org} and c.id = ${id}`;
  return row;
}

/** The active config of an app that is not deleted. */
export async function findLatestConfig(
  db: Db,
  org: OrgId,
  app: string,
): Promise<AppConfigRow | undefined> {
  const [row] = await db<AppConfigRow[]>`
    select ${columns(db)} from app_configs c join apps a on a.org_id = c.org_id and a.id = c.app_id
     where c.org_id = ${org} and c.app_id = ${app} and c.id = a.active_config_id and a.deleted_at is null`;
  return row;
}

/** The canonical document of a config that is whole. */
export async function findDocument(db: Db, org: OrgId, id: string): Promise<string | undefined> {
  const [row] = await db<{ document: string }[]>`
    select c.document from app_configs c where c.org_id = ${org} and c.id = ${id} and c.document <> ''`;
  return row?.document;
}

/** The size of the document of a config that is whole, and the document itself where it is no larger than so much. */
export async function findSmallDocument(
  db: Db,
  org: OrgId,
  id: string,
  mostBytes: number,
): Promise<{ readonly size_bytes: number; readonly document: string | null } | undefined> {
  const [row] = await db<{ size_bytes: number; document: string | null }[]>`
    select octet_length(c.document) as size_bytes, case when octet_length(c.document) <= ${mostBytes} then c.document end as document
      from app_configs c where c.org_id = ${org} and c.id = ${id} and c.document <> ''`;
  return row;
}

/** A document in pieces, in its order: what is in a list one by one, with its place; any other section whole, without one. */
export async function listPieces(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly section: string; readonly nth: number | null; readonly text: string }[]> {
  return db<{ section: string; nth: number | null; text: string }[]>`
    select s.key as section, e.nth::int as nth, coalesce(e.one, s.value)::text as text
      from app_configs c
     cross join lateral json_each(c.document::json) with ordinality s(key, value, place)
      left join lateral json_array_elements(case when json_typeof(s.value) = 'array' then s.value else '[]' end) with ordinality e(one, nth) on true
     where c.org_id = ${org} and c.id = ${id}
     order by s.place, e.nth`;
}

/** What a config that is whole has by name, and its readme: it is read by the database, which costs nobody else's time here. */
export async function findNames(
  db: Db,
  org: OrgId,
  id: string,
): Promise<
  (Record<"actions" | "components" | "runbooks", string[]> & { readme: string }) | undefined
> {
  const namesOf = (list: postgres.Fragment) =>
    db`coalesce((select array_agg(e.one ->> 'name') from json_array_elements(${list}) e(one)), '{}')`;
  const [row] = await db<
    (Record<"actions" | "components" | "runbooks", string[]> & { readme: string })[]
  >`
    select ${namesOf(db`x.actions`)} as actions, ${namesOf(db`x.components`)} as components, ${namesOf(db`x.runbooks`)} as runbooks,
           coalesce(x.metadata ->> 'readme', '') as readme
      from app_configs c
     cross join lateral json_to_record(c.document::json) as x(actions json, components json, runbooks json, metadata json)
     where c.org_id = ${org} and c.id = ${id} and c.document <> ''`;
  return row;
}

/** What a config was warned of and told when it was checked, as JSON of its two members, and what its client keeps with it. */
export async function findRemarks(
  db: Db,
  org: OrgId,
  id: string,
): Promise<{ readonly remarks: string; readonly state: string }> {
  const [row] = await db<{ remarks: string | null; state: string }[]>`
    select c.remarks::text as remarks, c.client_state as state from app_configs c where c.org_id = ${org} and c.id = ${id}`;
  return { remarks: row?.remarks ?? '{"warnings":[],"notices":[]}', state: row?.state ?? "" };
}

/** Keeps a client's own text with a config; false where there is none. */
export async function keepClientState(
  db: Db,
  org: OrgId,
  { app, id, state }: { readonly app: string; readonly id: string; readonly state: string },
): Promise<boolean> {
  const rows = await db`
    update app_configs set client_state = ${state} where org_id = ${org} and app_id = ${app} and id = ${id} returning id`;
  return rows.length > 0;
}

/** How many bytes the documents of these configs have together. */
export async function sumDocuments(db: Db, org: OrgId, ids: readonly string[]): Promise<number> {
  const [row] = await db<{ bytes: number }[]>`
    select coalesce(sum(octet_length(c.document)), 0)::int8::float8 as bytes from app_configs c
     where c.org_id = ${org} and c.id = any(${ids as string[]})`;
  return row?.bytes ?? 0;
}

/** An app's configs, the newest first. */
export async function listConfigs(
  db: Db,
  org: OrgId,
  app: string,
  {
    filter: { status, isWhole, ...created },
    after,
    limit,
    offset,
  }: ListRequest & {
    readonly filter: CreatedFilter & {
      readonly status?: string | undefined;
      readonly isWhole?: true;
    };
  },
): Promise<(AppConfigRow & { readonly sort_key: string })[]> {
  return db<(AppConfigRow & { sort_key: string })[]>`
    select ${columns(db)}, c.created_at::text as sort_key from app_configs c
     where c.org_id = ${org} and c.app_id = ${app} ${status === undefined ? db`` : db`and c.status = ${status}`}
       ${isWhole === true ? db`and c.document <> ''` : db``} ${createdWithin(db, db`c.created_at`, created)}
       and c.version < coalesce((select x.version from app_configs x where x.org_id = ${org} and x.id = ${after?.id ?? ""}), 2147483647)
     order by c.version desc limit ${limit} offset ${offset}`;
}

function columns(db: Db) {
  return db`
    c.id, c.org_id, c.app_id, c.version, c.status, c.status_description, c.status_at, c.previous_id, c.checksum, c.cli_version, c.plan_only, c.errors, c.created_at,
    c.created_by_id`;
}
