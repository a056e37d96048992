import { describe, expect, test } from "vitest";
import { readConfig } from "../../../broker/config.ts";
import type { Db } from "../../../broker/database/connect.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { readAvailability, readStrips } from "../../../broker/stats/read-availability.ts";
import { readJobStats } from "../../../broker/stats/read-job-stats.ts";
import { readOverview } from "../../../broker/stats/read-overview.ts";
import { testDatabase } from "../../support/database/database.ts";
import { explaining, readsOf, walksOf } from "../../support/database/explain.ts";
import { givenJobs, givenProcess, givenRunner, givenOrg } from "../../support/rows/given.ts";

const labels = 5;
const runners = 20;

/** Two orgs that are alike: each has rollups of two days and its runners have long histories; and there are jobs. */
async function setup() {
  const { db, url } = await testDatabase();
  const orgs = [await givenOrg(db), await givenOrg(db)];
  const ids: string[] = [];
  for (const orgId of orgs) {
    for (let n = 0; n < runners; n += 1) {
      const runner = await givenRunner(db, { orgId });
      await givenProcess(db, runner);
      if (orgId === orgs[0]) ids.push(runner.runnerId);
      if (n === 0)
        await givenJobs(
          db,
          runner,
          Array.from({ length: 500 }, () => ({})),
        );
    }
  }
  await fill(db);
  const config = readConfig({ DATABASE_URL: url, SVC_SEAL_KEYS: "none" });
  const explained = await explaining({ url }, { isMeasured: true });
  return { db: explained.db, explained, orgId: orgs[0] as OrgId, ids, config };
}

async function fill(db: Db): Promise<void> {
  await db`
    insert into rollup_coverage
    select 60, date_trunc('minute', svc_now()) - interval '1 minute' * n, 1 from generate_series(0, 2880) n`;
  await db`
    insert into job_rollups
    select o.id, w, a.at, 'all', 'deploy', 'type-' || t, 1, 1, 0, 0, 0, 0, '{"20":1}', 1, '{"20":1}', 1
      from (select distinct org_id as id from runners) o cross join generate_series(1, ${labels}) t cross join (values (60), (300)) w (w)
     cross join lateral generate_series(rollup_start(w, svc_now()) - interval '2 days', svc_now(), w * interval '1 second') a (at)`;
  await db`
    insert into queue_rollups
    select o.id, w, a.at, 'all', 'group-' || g, 1, 1, 1, 1, 1, 1
      from (select distinct org_id as id from runners) o cross join generate_series(1, ${labels}) g cross join (values (60), (300)) w (w)
     cross join lateral generate_series(rollup_start(w, svc_now()) - interval '2 days', svc_now(), w * interval '1 second') a (at)`;
  await db`
    insert into status_history (owner_id, org_id, status, at)
    select u.id, u.org_id, case n % 2 when 0 then 'active' else 'offline' end, svc_now() - interval '1 hour' * (200 - n)
      from runners u cross join generate_series(1, 200) n`;
  await db`insert into orgs (id, name) select 'org_00' || lpad(n::text, 24, '0'), 'one of many' from generate_series(1, 1000) n`;
  await db`
    insert into job_rollups
    select o.id, w, rollup_start(w, svc_now()) - w * interval '1 second' * n, 'all', 'deploy', 'type', 1, 1, 0, 0, 0, 0, '{}', 0, '{}', 0
      from orgs o cross join generate_series(1, 30) n cross join (values (60), (300)) w (w)
        on conflict do nothing`; // a minute may begin meanwhile
  await db`
    insert into queue_rollups
    select r.org_id, r.width_s, r.at, 'all', 'deploy', 1, 1, 1, 1, 1, 1 from job_rollups r where r.type = 'type'`;
  await db`insert into org_stats select id, 1, 1, null, 1, 1, 1, 1, 1, 1, 1, 1, '[]' from orgs`;
  await db.unsafe("analyze");
}

/** A scan by bitmap meets a row in the index and in the table. */
const twice = 2;

/** The tables that grow with time; walks of the others are right where they are as small as here. */
const growing = /rollup|org_stats|status_history/;

describe("what charts and the overview read", () => {
  test("is rollups and samples of their own org, and no job, whatever there is", async () => {
    const { db, explained, orgId, ids, config } = await setup();
    const permissions = new Set<never>();
    const reads = async (act: () => Promise<unknown>) => {
      explained.take();
      await act();
      const plans = explained.take().map(({ Plan }) => Plan);
      expect(plans.flatMap(walksOf).filter((walk) => growing.test(walk))).toEqual([]);
      const rows = plans.flatMap(readsOf);
      expect(
        rows.filter(({ of }) =>
          /runner_job(?:s|_live|_ends|_events|_executions)|runner_queues/.test(of),
        ),
      ).toEqual([]);
      const met = rows.filter(({ of }) => growing.test(of));
      return met.reduce((sum, read) => sum + read.rows, 0);
    };
    const overview = await reads(() => readOverview(db, { orgId, permissions }));
    expect(overview).toBeLessThanOrEqual(twice * 60 * (labels + 1) + 10);
    const series = await reads(() => readJobStats({ db, config }, orgId, { filter: {} }));
    expect(series).toBeLessThanOrEqual(twice * (290 * labels * 2 + 60 + 290) + 20);
    const strips = await reads(() => readStrips({ db, config }, orgId, ids));
    expect(strips).toBeLessThanOrEqual(twice * (1441 + ids.length * 220));
    const one = { runnerId: ids[0] ?? "", windowMs: 24 * 3600_000 };
    expect(await reads(() => readAvailability({ db, config }, orgId, one))).toBeLessThanOrEqual(
      twice * 1700,
    );
    await db`
      insert into status_history (owner_id, org_id, status, at)
      select ${one.runnerId}, ${orgId}, 'active', svc_now() - interval '1 second' * n
        from generate_series(3000, 1, -1) n`;
    expect(await reads(() => readAvailability({ db, config }, orgId, one))).toBeLessThanOrEqual(
      twice * (1441 + 3 * 300),
    );
    await explained.end();
  });
});
