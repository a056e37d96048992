import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

type SeenRow = { seen: number; deleted: number; last: string | null; is_young: boolean };

/**
 * Deletes signals that ended more than `days` ago, dead ones too, with their callbacks; answers how many. It walks the ends in the
 * order of the signals' ids, which is that of their creation, and stops at younger signals; live signals are not touched.
 */
export async function deleteOldSignals(db: Db, days: number, batches: Batches): Promise<number> {
  let after = "";
  let total = 0;
  await deleteInBatches(batches, async (limit) => {
    const [row] = await db<SeenRow[]>`
      with cutoff as (select svc_now() - make_interval(days => ${days}) as at),
      walked as materialized (
        select e.org_id, e.signal_id, e.finished_at < c.at as is_old, f.created_at >= c.at as is_young
          from cutoff c
         cross join lateral (select * from queue_signal_ends e where e.signal_id > ${after}
                              order by e.signal_id limit ${limit}) e
          join queue_signals f on f.org_id = e.org_id and f.id = e.signal_id
      ), ends as (
        delete from queue_signal_ends d using walked w where w.is_old and d.signal_id = w.signal_id
        returning d.org_id, d.signal_id
      ), callbacks as (
        delete from queue_signal_callbacks c using ends e where c.signal_id = e.signal_id
      ), gone as (
        delete from queue_signals f using ends e where f.org_id = e.org_id and f.id = e.signal_id returning f.id
      )
      select count(*)::int as seen, (select count(*) from gone)::int as deleted, max(w.signal_id) as last,
             coalesce(bool_and(w.is_young), true) as is_young
        from walked w`;
    if (row === undefined) return 0;
    after = row.last ?? after;
    total += row.deleted;
    return row.is_young ? 0 : row.seen;
  });
  return total;
}
