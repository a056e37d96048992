import type { Labels, Series } from "../metrics.ts";
import type { Tally } from "./queries.ts";
import { secondsBounds } from "./tally-job-ends.ts";

/** Ended jobs by group, type and result. */
export function endTotals(tallies: readonly Tally[]): (readonly [Labels, number])[] {
  return tallies
    .filter(({ measure }) => measure === "end")
    .map((row) => [{ group: row.job_group, type: row.type, result: row.status }, row.jobs]);
}

/** One measure's histograms; rows whose labels are alike add up. */
export function secondsByLabels(
  tallies: readonly Tally[],
  measure: "queue" | "run",
  labelsOf: (row: Tally) => Labels,
): Iterable<readonly [Labels, Series]> {
  const all = new Map<string, readonly [Labels, Series]>();
  for (const row of tallies) {
    if (row.measure !== measure) continue;
    const labels = labelsOf(row);
    const key = JSON.stringify(labels);
    const entry = all.get(key) ?? ([labels, emptySeries()] as const);
    all.set(key, entry);
    add(entry[1], row);
  }
  return all.values();
}

/** A bound that an older version used counts under the next one there is now. */
function add(series: Series, { upto, jobs, seconds }: Tally): void {
  series.count += jobs;
  series.sum += seconds;
  const at = secondsBounds.findIndex((bound) => upto <= bound);
  if (at !== -1) series.buckets[at] = (series.buckets[at] ?? 0) + jobs;
}

function emptySeries(): Series {
  return { count: 0, sum: 0, buckets: secondsBounds.map(() => 0) };
}
