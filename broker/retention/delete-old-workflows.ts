import type { Db } from "../database/connect.ts";
import type { Batches } from "./delete-in-batches.ts";
import { deleteInBatches } from "./delete-in-batches.ts";

type SeenRow = { readonly seen: number; readonly deleted: number; readonly last: string | null };

/** Deletes workflows that finished more than `days` ago, but for those whose runs the state of an install needs; answers how many. */
export async function deleteOldWorkflows(db: Db, days: number, batches: Batches): Promise<number> {
  let after = "-infinity";
  let total = 0;
  await deleteInBatches(batches, async (limit) => {
    const [row] = await db<SeenRow[]>`
      with old as materialized (
        select w.id, w.finished_at from workflows w
         where w.finished_at > ${after}::text::timestamptz and w.finished_at < (select svc_now() - make_interval(days => ${days}))
         order by w.finished_at limit ${limit}
      )
      select count(*)::int as seen, delete_workflows(coalesce(array_agg(o.id::text), '{}')) as deleted, max(o.finished_at)::text as last
        from old o`;
    after = row?.last ?? after;
    total += row?.deleted ?? 0;
    return row?.seen ?? 0;
  });
  return total;
}
