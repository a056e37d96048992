import type { Db } from "../database/connect.ts";
import type { RetainStatsDays } from "../stats/stats-settings.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

const tables = [
  "job_rollups",
  "queue_rollups",
  "org_rollups",
  "activity_rollups",
  "rollup_coverage",
] as const;
const widths = [60, 300, 3600, 86_400] as const;

/** Deletes rollups of each width that are older than their days; returns how many. */
export async function deleteOldStats(
  db: Db,
  days: RetainStatsDays,
  batches: Batches,
): Promise<number> {
  let total = 0;
  for (const table of tables) {
    for (const width of widths) {
      total += await deleteInBatches(batches, async (limit) => {
        const deleted = await db`
          delete from ${db(table)}
           where ctid = any(array(select ctid from ${db(table)}
                                   where width_s = ${width} and at < (select svc_now() - make_interval(days => ${days[width]}))
                                   limit ${limit}))`;
        return deleted.count;
      });
    }
  }
  return total;
}
