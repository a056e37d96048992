import { nameKey } from "../../shared/app-config/rules/rule.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What an app has by name: the tables of it. */
export type NamedKind = "actions" | "components" | "runbooks";
type Named = { readonly outcome: string; readonly id: string | null };
type Draft = { readonly id: string; readonly name: string; readonly created_by_id: string };

/** Finds what an app has by this name, or makes it: created, same, not-found (the app) or full. */
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

export type NamedRow = {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly active_config_id: string | null;
};

/** What an app has of a kind, the newest first. */
export async function listNamedParts(
  db: Db,
  org: OrgId,
  { kind, app, filter = {}, after, limit, offset }: NamedWanted,
): Promise<(NamedRow & { readonly sort_key: string })[]> {
  const { id, name, q, ...created } = filter;
  return db<(NamedRow & { sort_key: string })[]>`
    select x.id, x.app_id, x.name, x.created_at, a.active_config_id, x.created_at::text as sort_key
      from ${db(kind)} x join apps a on a.org_id = x.org_id and a.id = x.app_id
     where x.org_id = ${org} and x.app_id = ${app} and x.deleted_at is null and a.deleted_at is null and x.id < ${after?.id ?? "~"}
       ${id === undefined ? db`` : db`and x.id = ${id}`}
       ${name === undefined ? db`` : db`and replace(x.name, '-', '_') = replace(${name}, '-', '_')`}
       ${q === undefined ? db`` : db`and strpos(x.name, ${q.toLowerCase()}) > 0`}
       ${createdWithin(db, db`x.created_at`, created)}
     order by x.id desc limit ${limit} offset ${offset}`;
}

/** The ids of what an app has by these names; names that it has not any more have none. */
export async function findNamedIds(
  db: Db,
  org: OrgId,
  {
    kind,
    app,
    names,
  }: { readonly kind: NamedKind; readonly app: string; readonly names: readonly string[] },
): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await db<{ id: string }[]>`
    select x.id from ${db(kind)} x
     where x.org_id = ${org} and x.app_id = ${app} and x.deleted_at is null
       and replace(x.name, '-', '_') = any(${names.map(nameKey)})
     order by x.id`;
  return rows.map(({ id }) => id);
}

type NamedWanted = ListRequest & {
  readonly kind: NamedKind;
  readonly app: string;
  readonly filter?: CreatedFilter & {
    readonly id?: string | undefined;
    readonly name?: string | undefined;
    readonly q?: string | undefined;
  };
};
