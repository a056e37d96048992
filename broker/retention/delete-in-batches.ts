import { setTimeout as pause } from "node:timers/promises";

export type Batches = {
  /** Ends the work after the current batch; the next run continues where this one stopped. */
  readonly signal: AbortSignal;
  /** The most rows of one batch. */
  readonly batch: number;
};

/**
 * Deletes batch after batch until one is not full; answers how many rows that were. Each batch is a statement
 * of its own, followed by a pause as long as itself, so that deleting never takes more than half a connection
 * and locks nothing for long.
 */
export async function deleteInBatches(
  { signal, batch }: Batches,
  deleteSome: (limit: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const startedAtMs = performance.now();
    const deleted = await deleteSome(batch);
    total += deleted;
    if (deleted < batch) break;
    await pause(performance.now() - startedAtMs, undefined, { signal }).catch(() => {}); // aborted: see the loop
  }
  return total;
}
