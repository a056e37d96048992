import { expect, test } from "vitest";
import {
  addStored,
  type BucketCounts,
  bucketUptoS,
  lastBucket,
  noCounts,
  percentilesS,
} from "./duration-buckets.ts";

type Stored = Readonly<Record<string, number>>;

/** Counts of rows, as the database writes them. */
function countsOf(...rows: readonly Stored[]): BucketCounts {
  const counts = noCounts();
  const stored = rows.map((row) => JSON.stringify(row).replaceAll(/[:,]/g, "$& "));
  addStored(counts, stored.join(","));
  return counts;
}

const percentileS = (counts: Stored, share: number, longestS: number): number | undefined =>
  percentilesS(countsOf(counts), [share], longestS)?.[0];

const bucketOf = (seconds: number): number =>
  Math.min(lastBucket, Math.max(0, Math.ceil(Math.log2(seconds / 0.01) * 4)));

test.each([0.5, 0.9, 0.95, 0.99, 1])("the share %d is at most 19 %% off the exact one", (share) => {
  const seconds = Array.from({ length: 1000 }, (_, n) => 0.02 * 1.013 ** n).toSorted(
    (a, b) => a - b,
  );
  const counts = countsOf(...seconds.map((one) => ({ [bucketOf(one)]: 1 })));
  const exact = seconds[Math.ceil(share * seconds.length) - 1] ?? Number.NaN;
  const [got = Number.NaN] = percentilesS(counts, [share], seconds.at(-1) ?? 0) ?? [];
  expect(got / exact).toBeGreaterThan(1 / 1.19);
  expect(got / exact).toBeLessThan(1.19);
});

test("several shares at once are as one after the other", () => {
  const counts = { "3": 4, "7": 1, "12": 20, "90": 2, [lastBucket]: 1 };
  const shares = [0, 0.1, 0.5, 0.5, 0.93, 0.95, 1];
  expect(percentilesS(countsOf(counts), shares, 2e7)).toEqual(
    shares.map((share) => percentileS(counts, share, 2e7)),
  );
});

test("counts of several rows are added up, whatever the spaces", () => {
  const counts = noCounts();
  addStored(counts, '{"7": 1, "24": 5},{},{"24":12,"120": 3}');
  addStored(counts, "{}");
  addStored(counts, '{"0":1}');
  const found = [...counts.entries()].filter(([, jobs]) => jobs > 0);
  expect(found).toEqual([
    [0, 1],
    [7, 1],
    [24, 17],
    [120, 3],
  ]);
});

test("of nothing there is no percentile", () => {
  expect(percentileS({}, 0.5, 0)).toBeUndefined();
});

test("no percentile is over the longest, nor below nothing", () => {
  expect(percentileS({ "0": 5 }, 0.95, 0)).toBe(0);
  expect(percentileS({ [lastBucket]: 1 }, 0.5, 2 * bucketUptoS(lastBucket))).toBe(
    2 * bucketUptoS(lastBucket),
  );
  expect(percentileS({ "40": 1 }, 0.5, 9.9)).toBe(9.9);
});
