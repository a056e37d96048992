import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/**
 * Deletes processes that ended more than `days` ago, with their shutdown records and histories; answers how
 * many. A runner's latest process stays, so that it is known to have been there once.
 */
export async function deleteDeadProcesses(db: Db, days: number, batches: Batches): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const [row] = await db<{ deleted: number }[]>`
      with dead as materialized (
        select p.id
          from runner_processes p
         where p.status in ('inactive', 'shut-down') and p.status_at < svc_now() - make_interval(days => ${days})
           and exists (select from runner_processes n
                        where n.runner_id = p.runner_id and (n.created_at, n.id) > (p.created_at, p.id))
         order by p.id limit ${limit} for update skip locked
      ), shutdowns as (
        delete from runner_process_shutdowns d using dead where d.runner_process_id = dead.id returning d.id
      ), histories as (
        delete from status_history h
         where h.owner_id in (select id from dead union all select id from shutdowns)
      ), gone as (
        delete from runner_processes p using dead where p.id = dead.id returning p.id
      )
      select count(*)::int as deleted from gone`;
    return row?.deleted ?? 0;
  });
}
