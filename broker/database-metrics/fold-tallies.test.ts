import { expect, test } from "vitest";
import { endTotals, secondsByLabels } from "./fold-tallies.ts";
import type { Tally } from "./queries.ts";
import { secondsBounds } from "./tally-job-ends.ts";

const row = (given: Partial<Tally>): Tally => ({
  job_group: "deploy",
  type: "noop-deploy",
  status: "finished",
  measure: "run",
  upto: 10,
  jobs: 2,
  seconds: 15,
  ...given,
});
const byGroup = ({ job_group }: Tally) => ({ group: job_group });

test("a histogram adds up what has the same labels", () => {
  const tallies = [row({}), row({ type: "helm-chart-deploy", upto: 10, jobs: 1, seconds: 6 })];
  const [[labels, series] = []] = secondsByLabels(tallies, "run", byGroup);
  expect(labels).toEqual({ group: "deploy" });
  expect(series).toMatchObject({ count: 3, sum: 21 });
  expect(series?.buckets[secondsBounds.indexOf(10)]).toBe(3);
});

test("a bound that is no more counts under the next one", () => {
  const [[, series] = []] = secondsByLabels([row({ upto: 7 })], "run", byGroup);
  expect(series?.buckets[secondsBounds.indexOf(10)]).toBe(2);
});

test("what exceeds every bound is in the count alone", () => {
  const [[, series] = []] = secondsByLabels([row({ upto: Infinity })], "run", byGroup);
  expect(series?.count).toBe(2);
  expect(series?.buckets.every((jobs) => jobs === 0)).toBe(true);
});

test("totals are those of the ends, not of the measures", () => {
  expect(endTotals([row({ measure: "end", jobs: 3 }), row({})])).toEqual([
    [{ group: "deploy", type: "noop-deploy", result: "finished" }, 3],
  ]);
});
