import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Forgets the former secrets of webhooks that sign nothing any more; returns how many. */
export async function forgetFormerSecrets(db: Db, batches: Batches): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const forgotten = await db`
      update webhooks set previous_key_id = null, previous_secret = null, previous_until = null
       where ctid = any(array(select ctid from webhooks where previous_until < svc_now() limit ${limit}))
         and previous_until < svc_now()`;
    return forgotten.count;
  });
}
