import { problem } from "../../shared/problem.ts";
import { type Nameable, whyReserved } from "../../shared/reserved-names.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { tablesOfNames } from "./named-kinds.ts";

type Naming = {
  readonly kind: Nameable;
  readonly name: string | undefined;
  /** What may have the name already: what is renamed, or whatever is in this app; else whatever is in the org. */
  readonly there?: { readonly id: string } | { readonly app_id: string };
};

/**
 * Refuses a name that could not stand for an id in a path, with 422, where something new is to have it. What has such a name from a config, or from an
 * earlier version, keeps it.
 */
export async function requireFreeName(
  db: Db,
  org: OrgId,
  { kind, name, there }: Naming,
): Promise<void> {
  const detail = name === undefined ? undefined : whyReserved(kind, name);
  if (name === undefined || detail === undefined) return;
  const which = Object.entries(there ?? {}).map(([column, id]) => db`and x.${db(column)} = ${id}`);
  const [found] = await db`
    select from ${db(tablesOfNames[`${kind}_id`])} x
     where x.org_id = ${org} and replace(x.name, '-', '_') = ${name.replaceAll("-", "_")} and x.deleted_at is null
           ${which[0] ?? db``} limit 1`;
  if (found !== undefined) return;
  throw problem.invalid([{ pointer: "#/name", code: "reserved_name", detail }]);
}
