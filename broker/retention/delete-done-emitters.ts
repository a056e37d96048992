import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Deletes emitters that have been done for more than `days`; answers how many. Their signals are kept as long as others. */
export async function deleteDoneEmitters(db: Db, days: number, batches: Batches): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const deleted = await db`
      delete from queue_emitters
       where status = 'done'
         and id = any(array(select id from queue_emitters
                             where status = 'done' and status_at < svc_now() - make_interval(days => ${days})
                             order by status_at limit ${limit}))`;
    return deleted.count;
  });
}
