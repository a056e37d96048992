import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

/** Deletes what components were built from once no config names it; answers how many. It goes with the last config that did. */
export async function deleteUnusedSources(db: Db, batches: Batches): Promise<number> {
  return await deleteInBatches(batches, async (limit) => {
    const [row] = await db<{ n: number }[]>`select delete_unused_sources(${limit}) as n`;
    return row?.n ?? 0;
  });
}
