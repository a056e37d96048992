import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { StatusHistoryRow } from "./row.ts";

/** The part of a history that is shown: the present status and the twenty before it. */
const shown = 21;

export type StatusHistories = ReadonlyMap<string, readonly StatusHistoryRow[]>;

/** The latest entries of each owner's history, newest first; an owner without any has no key. */
export async function listStatusHistories(
  db: Db,
  org: OrgId,
  ownerIds: readonly string[],
): Promise<StatusHistories> {
  if (ownerIds.length === 0) return new Map();
  const rows = await db<StatusHistoryRow[]>`
    select h.*
      from unnest(${ownerIds}::text[]) o (id)
     cross join lateral (select * from status_history h
                          where h.owner_id = o.id and h.org_id = ${org}
                          order by h.seq desc limit ${shown}) h
     order by h.owner_id, h.seq desc`;
  return Map.groupBy(rows, (row) => row.owner_id);
}
