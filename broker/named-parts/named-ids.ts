import { nameKey } from "../../shared/app-config/rules/rule.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { NamedKind } from "./named-part-queries.ts";

type Wanted = {
  readonly kind: NamedKind;
  readonly apps: readonly string[];
  readonly names: readonly string[];
};

/** Ids of what apps have by these names, by `keyOfName`; names that an app has not any more have none. */
export async function findIdsByName(
  db: Db,
  org: OrgId,
  { kind, apps, names }: Wanted,
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db<{ app_id: string; name: string; id: string }[]>`
    select x.app_id, x.name, x.id from ${db(kind)} x
     where x.org_id = ${org} and x.app_id = any(${[...apps]}::text[]) and x.deleted_at is null
       and replace(x.name, '-', '_') = any(${[...new Set(names.map(nameKey))]}::text[])`;
  return new Map(rows.map(({ app_id, name, id }) => [keyOfName(app_id, name), id]));
}

/** A name in an app, where `-` and `_` are equal. */
export const keyOfName = (app: string, name: string): string => `${app} ${nameKey(name)}`;
