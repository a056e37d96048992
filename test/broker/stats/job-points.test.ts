import { expect, test } from "vitest";
import { listJobPoints } from "../../../broker/stats/queries.ts";
import { sampleStats } from "../../../broker/stats/sample-stats.ts";
import { addStored, noCounts } from "../../../shared/duration-buckets.ts";
import { pointsOf } from "../../../shared/stats-steps.ts";
import { testDatabase } from "../../support/database/database.ts";
import { explaining } from "../../support/database/explain.ts";
import { givenOrg, givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;

/** The buckets that have any. */
function counted(stored: string): Record<string, number> {
  const counts = noCounts();
  addStored(counts, stored);
  return Object.fromEntries([...counts.entries()].filter(([, jobs]) => jobs > 0));
}

test("what moved is added up over job groups and spans, whether a point has one row of a type or several", async () => {
  const orgId = await givenOrg(db);
  const at = Date.parse("2026-11-23T10:00:00Z");
  const row = (
    minute: number,
    [group, type]: readonly [string, string],
    [queue, run]: readonly [string, string],
    max: number,
  ) => db`
    insert into job_rollups
    values (${orgId}, 300, ${new Date(at + minute * 60_000)}, 'all', ${group}, ${type}, 2, 1, 0, 0, 0, 1, ${queue}::text::jsonb,
            ${max}, ${run}::text::jsonb, ${max + 1})`;
  await row(0, ["deploy", "a"], ['{"20":3,"24":5}', '{"30":2}'], 1);
  await row(0, ["build", "a"], ['{"24":2,"120":1}', "{}"], 4);
  await row(5, ["deploy", "a"], ['{"24":1}', '{"30":1,"31":7}'], 2);
  await row(0, ["deploy", "b"], ['{"1":1}', '{"2":9}'], 3);
  await row(10, ["deploy", "c"], ["{}", "{}"], 0);
  await row(15, ["deploy", "c"], ["{}", "{}"], 0);
  await row(20, ["build", "c"], ['{"7":1}', "{}"], 5);
  const points = pointsOf({ fromMs: at, toMs: at + 30 * 60_000 }, "15m");
  const found = await listJobPoints(db, orgId, { points, filter: {} });
  const seen = found
    .map(({ point, type, queue_times: queue, run_times: run, ...rest }) => ({
      key: `${(point * 1000 - at) / 60_000} ${type}`,
      queue_times: counted(queue),
      run_times: counted(run),
      ...rest,
    }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const moves = (n: number) => ({ enqueued: 2 * n, finished: n, cancelled: n, failed: 0 });
  expect(seen).toMatchObject([
    { key: "0 a", ...moves(3), queue_max: 4, run_max: 5 },
    { key: "0 b", ...moves(1), queue_times: { "1": 1 }, run_times: { "2": 9 }, run_max: 4 },
    { key: "0 c", ...moves(1), queue_times: {}, run_times: {} },
    { key: "15 c", ...moves(2), queue_times: { "7": 1 }, run_times: {}, queue_max: 5 },
  ]);
  expect(seen[0]?.queue_times).toEqual({ "20": 3, "24": 8, "120": 1 });
  expect(seen[0]?.run_times).toEqual({ "30": 3, "31": 7 });
  const filter = { group: "build" };
  expect(await listJobPoints(db, orgId, { points, filter })).toHaveLength(2);
});

test("a sample asks for the runner groups of an org once, and not for each of its runners", async () => {
  const { orgId } = await givenRunner(db);
  for (let n = 0; n < 20; n += 1) await givenRunner(db, { orgId });
  await db.unsafe("analyze");
  const [orgs] = await db<{ n: number }[]>`select count(*)::int as n from orgs`;
  const { db: explained, take, end } = await explaining(database);
  await db`update stats_mark set sampled_at = 'epoch'`;
  take();
  expect(await sampleStats(explained)).toBe(true);
  const asked = take().filter(({ "Query Text": text }) => text.includes("from runner_groups g"));
  await end();
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(orgs?.n ?? 0);
});
