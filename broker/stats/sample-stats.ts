import type { Db } from "../database/connect.ts";

/** How old a sample grows before the next one. */
const everySeconds = 9;

/**
 * Samples what the overview and the charts show of queues and runners, unless another broker just did; answers whether it did.
 * The first sample of a minute is the one that charts keep.
 */
export async function sampleStats(db: Db): Promise<boolean> {
  const [row] = await db<{ sampled: boolean }[]>`
    select sample_stats(make_interval(secs => ${everySeconds})) as sampled`;
  return row?.sampled === true;
}
