import type postgres from "postgres";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { type ComponentType } from "../../shared/component-types.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import { labelledBy, type LabelQuery } from "../labels/label-query.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";

/** What an app has by name: the tables of it. */
export type NamedKind = "actions" | "components" | "runbooks";
/** Where it is kept which config had which of them. */
export const configsOf = {
  actions: { table: "action_configs", column: "action_id" },
  components: { table: "component_configs", column: "component_id" },
  runbooks: { table: "runbook_configs", column: "runbook_id" },
} as const satisfies Record<NamedKind, object>;
type Named = { readonly outcome: string; readonly id: string | null };
type Draft = {
  readonly id: string;
  readonly name: string;
  readonly created_by_id: string;
  readonly labels?: Labels | undefined;
  readonly said?: Said | undefined;
  readonly unsaid?: readonly string[] | undefined;
};
type Labels = Readonly<Record<string, string>>;
/** What records say of it besides labels, by the names that files have: of components dependencies (by id) and var_name, of runbooks the description. */
export type Said = {
  readonly dependencies?: readonly string[];
  readonly var_name?: string;
  readonly description?: string;
};

/** Finds what an app has by this name, or makes it: created, same, not-found (the app), full, or locked and too-many (its labels). */
export async function nameAppPart(
  db: Db,
  org: OrgId,
  app: string,
  { kind, draft, most }: { readonly kind: NamedKind; readonly draft: Draft; readonly most: number },
): Promise<Named | undefined> {
  const [row] = await db<Named[]>`
    select * from name_app_part(${org}, ${app}, ${kind}, ${JSON.stringify(draft)}::text::json, ${most})`;
  return row;
}

/** Adds a part of something that has a name to a config, and names it: added, not-found, sealed, large or full. */
export async function insertNamedPart(
  db: Db,
  org: OrgId,
  { app, id }: { readonly app: string; readonly id: string },
  add: { readonly part: object; readonly most: object },
): Promise<Named | undefined> {
  const [row] = await db<Named[]>`
    select * from add_named_part(${org}, ${app}, ${id}, ${JSON.stringify(add.part)}::text::json,
                                 ${JSON.stringify(add.most)}::text::json)`;
  return row;
}

/** What is to change in what an app has by name; `isWhole`: labels replaces all of its own. */
export type NamedChange = {
  readonly name?: string | undefined;
  readonly labels?: Labels | undefined;
  readonly removed?: readonly string[];
  readonly isWhole?: boolean;
  readonly said?: Said;
  /** What is not said any more. */
  readonly unsaid?: readonly string[];
};
type Outcome = { readonly outcome: string; readonly told: readonly string[] };
export type WhichNamed = {
  readonly kind: NamedKind;
  readonly app: string;
  readonly id: string;
};

/** Changes one of them: changed, not-found, held (by what), taken (the name), locked (which labels) or too-many. */
export async function writeNamedPart(
  db: Db,
  org: OrgId,
  { kind, app, id }: WhichNamed,
  { isWhole, ...change }: NamedChange,
): Promise<Outcome | undefined> {
  const text = JSON.stringify({ ...change, is_whole: isWhole === true });
  const [row] = await db<Outcome[]>`
    select * from change_named_part(${org}, ${app}, ${kind}, ${id}, ${text}::text::jsonb)`;
  return row;
}

/** Deletes one of them: deleted, not-found or held (by what). */
export async function deleteNamedRow(
  db: Db,
  org: OrgId,
  { kind, app, id }: WhichNamed,
): Promise<Outcome | undefined> {
  const [row] = await db<
    Outcome[]
  >`select * from delete_named_part(${org}, ${app}, ${kind}, ${id})`;
  return row;
}

export type NamedRow = {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly labels: Labels;
  /** Since its last config in force. */
  readonly said: Said;
  readonly created_at: Date;
  readonly created_by_id: string;
  readonly updated_at: Date;
  readonly active_config_id: string | null;
  /** That of the active config. */
  readonly config_id: string | null;
  /** How many it had. */
  readonly config_count: number;
};

/** To what a list of them is narrowed. */
export type NamedFilter = CreatedFilter & {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly names?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly labels?: LabelQuery | undefined;
  readonly component_ids?: readonly string[] | undefined;
  readonly types?: readonly ComponentType[] | undefined;
};
/** Without an app: of all that the caller may read. */
type NamedWanted = ListRequest & {
  readonly kind: NamedKind;
  readonly app?: string | undefined;
  readonly bound?: Bound | null;
  readonly filter?: NamedFilter;
};

/** What an app has of a kind, the newest first. */
export async function listNamedParts(
  db: Db,
  org: OrgId,
  { kind, app, bound, filter = {}, after, limit, offset }: NamedWanted,
): Promise<(NamedRow & { readonly sort_key: string })[]> {
  const { table, column } = configsOf[kind];
  return db<(NamedRow & { sort_key: string })[]>`
    select x.id, x.app_id, x.name, x.labels, x.said, x.created_at, x.created_by_id, coalesce(x.updated_at, x.created_at) as updated_at,
           a.active_config_id, cc.id as config_id, x.created_at::text as sort_key,
           (select count(*)::int from ${db(table)} n where n.${db(column)} = x.id) as config_count
      from ${db(kind)} x
      join apps a on a.org_id = x.org_id and a.id = x.app_id
      left join ${db(table)} cc on cc.app_config_id = a.active_config_id and cc.${db(column)} = x.id
     where x.org_id = ${org} and x.deleted_at is null and a.deleted_at is null and x.id < ${after?.id ?? "~"}
       ${app === undefined ? db`` : db`and x.app_id = ${app}`} ${boundTo(db, "apps", bound)}
       ${narrowedTo(db, filter)}
     order by x.id desc limit ${limit} offset ${offset}`;
}

function narrowedTo(db: Db, filter: NamedFilter): postgres.Fragment {
  const { id, name, names, q, labels, component_ids: ids, types, ...created } = filter;
  const type = db`case cc.type when 'container_image' then 'external_image' else coalesce(nullif(cc.type, ''), 'unknown') end`;
  return db`
    ${id === undefined ? db`` : db`and x.id = ${id}`}
    ${ids === undefined || ids.length === 0 ? db`` : db`and x.id = any(${[...ids]}::text[])`}
    ${name === undefined ? db`` : db`and replace(x.name, '-', '_') = ${nameKey(name)}`}
    ${names === undefined ? db`` : db`and replace(x.name, '-', '_') = any(${names.map(nameKey)}::text[])`}
    ${q === undefined ? db`` : db`and strpos(x.name, ${q.toLowerCase()}) > 0`}
    ${types === undefined || types.length === 0 ? db`` : db`and ${type} = any(${[...types]}::text[])`}
    ${labelledBy(db, db`x.labels`, labels)}
    ${createdWithin(db, db`x.created_at`, created)}`;
}
