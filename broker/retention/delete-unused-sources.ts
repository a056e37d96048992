import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/**
 * Deletes what components were built from once nothing is built of it any more: first which configs name it, then what none
 * names; answers how many of the latter.
 */
export async function deleteUnusedSources(db: Db, batches: Batches): Promise<number> {
  await deleteInBatches(batches, async (limit) => {
    const [row] = await db<{ n: number }[]>`select forget_old_sources(${limit}) as n`;
    return row?.n ?? 0;
  });
  return await deleteInBatches(batches, async (limit) => {
    const [row] = await db<{ n: number }[]>`select delete_unused_sources(${limit}) as n`;
    return row?.n ?? 0;
  });
}
