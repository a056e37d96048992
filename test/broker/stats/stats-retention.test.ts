import { expect, test } from "vitest";
import { deleteOldStats } from "../../../broker/retention/delete-old-stats.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenOrg } from "../../support/rows/given.ts";

test("rollups of each width go when their days have passed, in batches; the younger stay", async () => {
  const { db } = await testDatabase();
  const orgId = await givenOrg(db);
  const spans = db`
    (values (60, 2), (300, 14), (3600, 90), (86400, 1095)) w (width_s, days)
     cross join lateral (select svc_now() - make_interval(days => w.days) + interval '1 minute' * n as at
                           from generate_series(-30, 30) n) s`;
  await db`insert into rollup_coverage select width_s, at, 1 from ${spans}`;
  await db`
    insert into job_rollups
    select ${orgId}, width_s, at, 'other', 'deploy', 'noop', 1, 0, 0, 0, 0, 0, '{}', 0, '{}', 0 from ${spans}`;
  await db`insert into queue_rollups select ${orgId}, width_s, at, 'other', 'deploy', 1, 1, 1, 1, 1, 1 from ${spans}`;
  await db`insert into org_rollups select ${orgId}, width_s, at, 1, 1, 1, 1, 1, 1 from ${spans}`;
  const days = { 60: 2, 300: 14, 3600: 90, 86_400: 1095 };
  const { signal } = new AbortController();
  expect(await deleteOldStats(db, days, { signal, batch: 7 })).toBe(4 * 4 * 31);
  for (const table of ["rollup_coverage", "job_rollups", "queue_rollups", "org_rollups"]) {
    expect(
      await db`select width_s, count(*)::int as rows from ${db(table)} group by 1 order by 1`,
    ).toMatchObject([60, 300, 3600, 86_400].map((width) => ({ width_s: width, rows: 30 })));
  }
  expect(await deleteOldStats(db, days, { signal, batch: 7 })).toBe(0);
});
