import type { Db } from "../database/connect.ts";

/** The bounds of the histograms of queue and run times, in seconds. */
export const secondsBounds = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600,
] as const;

/** The most transactions that one call counts. */
const mostTransactions = 200_000;

/**
 * Adds the jobs that have ended since the last call to the totals that /metrics shows; answers how many.
 * Each end is counted once, however often this is called and by however many brokers.
 */
export async function tallyJobEnds(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const [row] = await db<{ tallied: number; is_more: boolean }[]>`
      select * from tally_job_ends(${[...secondsBounds]}::float8[], ${mostTransactions})`;
    total += row?.tallied ?? 0;
    if (row?.is_more !== true) return total;
  }
}
