import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Ends configs of parts that were begun a day ago and never became whole; returns how many. */
export async function endOldConfigs(db: Db, batches: Batches): Promise<number> {
  return deleteInBatches(batches, async (limit) => {
    const ended = await db`
      with old as (
        select c.org_id, c.id from app_configs c
         where c.status in ('pending', 'syncing') and c.created_at < svc_now() - interval '24 hours'
         limit ${limit} for no key update
      ), gone as (
        delete from app_config_parts p using old o where p.org_id = o.org_id and p.app_config_id = o.id
      )
      update app_configs c
         set status = 'error', status_at = svc_now(), status_description = 'it was not whole within 24 hours', errors = '[]'
        from old o where c.org_id = o.org_id and c.id = o.id`;
    return ended.count;
  });
}
