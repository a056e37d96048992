import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Removes queues that were deleted more than `days` ago, once none of their signals is left; answers how many. */
export async function deleteDeletedQueues(db: Db, days: number, batches: Batches): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const deleted = await db`
      delete from queues
       where deleted_at is not null
         and id = any(array(select q.id from queues q
                             where q.deleted_at < svc_now() - make_interval(days => ${days})
                               and not exists (select from queue_signals f where f.queue_id = q.id)
                             order by q.deleted_at limit ${limit}))`;
    return deleted.count;
  });
}
