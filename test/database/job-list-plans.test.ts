import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cancelJobs } from "../../broker/jobs/cancel-jobs.ts";
import type { JobFilter } from "../../broker/jobs/job-filter.ts";
import {
  countJobs,
  listJobs,
  listMatchingIds,
  listRunnerJobs,
} from "../../broker/jobs/list-jobs.ts";
import { findWaitingFacts } from "../../broker/jobs/waiting-facts.ts";
import { isFinal, runnerJobStatuses } from "../../shared/runner-job.ts";
import { testDatabase } from "../support/database/database.ts";
import { type Explaining, explaining, readsOf, relationsOf } from "../support/database/explain.ts";
import { type GivenRunner, givenJob, givenJobs, givenRunner } from "../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
let few: GivenRunner;
let aged: GivenRunner;
let small: GivenRunner;
let on: Explaining;

const many = 20_000;
const runners = 100;
const open = runnerJobStatuses.filter((status) => !isFinal(status));

beforeAll(async () => {
  const busy = await givenRunner(db);
  const [id = ""] = await givenJobs(db, busy, [{}]);
  await db`
    insert into runners
    select (jsonb_populate_record(u, jsonb_build_object('id', 'run_' || lpad(n::text, 26, '0'), 'name', 'r' || n))).*
      from runners u cross join generate_series(0, ${runners - 1}) n where u.id = ${busy.runnerId}`;
  const numbered = db`
    jsonb_build_object('id', 'job_' || lpad(n::text, 26, '0'), 'runner_id', 'run_' || lpad((n % ${runners})::text, 26, '0'))`;
  for (const table of ["runner_jobs", "runner_job_live"]) {
    await db`
      insert into ${db(table)}
      select (jsonb_populate_record(j, ${numbered})).*
        from ${db(table)} j cross join generate_series(1, ${many}) n where j.id = ${id}`;
  }
  few = await givenRunner(db, { orgId: busy.orgId });
  await givenJobs(
    db,
    few,
    Array.from({ length: 60 }, () => ({})),
  );
  aged = await givenRunner(db, { orgId: busy.orgId });
  const [latest = ""] = await givenJobs(db, aged, [{}, {}, {}]);
  await db`
    insert into runner_jobs -- of ended ones only these rows are read here
    select (jsonb_populate_record(j, jsonb_build_object('id', 'job_01' || lpad(n::text, 24, '0')))).*
      from runner_jobs j cross join generate_series(1, 3000) n where j.id = ${latest}`;
  await givenJob(db, aged, { type: "docker-build" });
  small = await givenRunner(db);
  await givenJobs(db, small, [{}, {}, {}]);
  await db`vacuum analyze`;
});

/** What each scan of what was done met, where that was more than so many rows. */
function overruns(most: number): string[] {
  return on.take().flatMap(({ Plan, "Query Text": text }) =>
    readsOf(Plan)
      .filter(({ rows }) => rows > most)
      .map(({ of, rows }) => `${rows} by ${of}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`),
  );
}

describe.each(["force_generic_plan", "force_custom_plan"])("with a %s", (mode) => {
  beforeAll(async () => {
    on = await explaining(database, { isMeasured: true });
    await on.db.unsafe(`set plan_cache_mode = ${mode}`);
    on.take();
  });
  afterAll(() => on.end());

  const filters = (): JobFilter[] => [
    { runnerId: few.runnerId },
    ...runnerJobStatuses.map((status) => ({ runnerId: few.runnerId, statuses: [status] })),
  ];

  test("a list of one runner's jobs reads that runner's", async () => {
    for (const filter of filters()) {
      await listJobs(on.db, few.orgId, filter, { after: undefined, limit: 50, offset: 0 });
      expect({ filter, walks: overruns(2_000) }).toEqual({ filter, walks: [] });
    }
  });

  test("why a job waits is read by look-ups", async () => {
    const page = { before: undefined, limit: 1 };
    const [last = ""] = await listMatchingIds(on.db, few.orgId, { runnerId: few.runnerId }, page);
    on.take();
    expect(await findWaitingFacts(on.db, few.orgId, last)).toMatchObject({ before: 59 });
    expect(overruns(200)).toEqual([]);
  });

  test("a count ends where it is to end", async () => {
    await countJobs(on.db, few.orgId, { statuses: ["queued"] }, 101);
    await countJobs(on.db, few.orgId, { statuses: ["queued", "available"] }, 101);
    expect(overruns(200)).toEqual([]);
  });

  test("a count of open jobs touches no other table of jobs, and no other org's", async () => {
    const [live] = await db<
      { count: number }[]
    >`select count(*)::int from runner_job_live where org_id = ${few.orgId}`;
    expect(await countJobs(on.db, few.orgId, { statuses: [...open] }, 30_000)).toMatchObject({
      count: live?.count,
    });
    const tables = on.take().flatMap(({ Plan }) => relationsOf(Plan));
    expect(new Set(tables)).toEqual(new Set(["runners", "runner_job_live"]));
    expect(await countJobs(on.db, small.orgId, { statuses: [...open] }, 30_000)).toMatchObject({
      count: 3,
    });
    expect(overruns(200)).toEqual([]);
  });

  test("the open jobs of a runner, the oldest first, are read without those that ended", async () => {
    const page = { limit: 3, offset: 0 };
    for (const statuses of [["queued" as const], [...open]]) {
      const filter = { runnerId: aged.runnerId, statuses };
      expect(await listRunnerJobs(on.db, aged.orgId, filter, page)).toHaveLength(3);
      expect({ filter, walks: overruns(200) }).toEqual({ filter, walks: [] });
    }
  });

  test("what is run again is read a page at a time", async () => {
    for (const filter of filters()) {
      await listMatchingIds(on.db, few.orgId, filter, { before: undefined, limit: 51 });
      expect({ filter, walks: overruns(2_000) }).toEqual({ filter, walks: [] });
    }
  });

  test("a cancel of all that match touches no more than its limit", async () => {
    const wakes = { notify: () => {}, subscribe: () => () => {} };
    const filter = { statuses: ["queued" as const] };
    const told = await cancelJobs({ db: on.db, wakes }, few.orgId, { filter, limit: 20, why: "" });
    expect(told).toMatchObject({ cancelled: 20, hasMore: true });
    expect(overruns(200)).toEqual([]);
  });
});

test("a list of one type's or one group's jobs reads those, however few, as often as it is asked for", async () => {
  on = await explaining(database, { isMeasured: true });
  on.take();
  const found = new Map<JobFilter, number>([
    [{ type: "noop-deploy" }, 50],
    [{ type: "docker-build" }, 1],
    [{ group: "deploy" }, 50],
    [{ group: "build" }, 1],
    [{ group: "management" }, 0],
  ]);
  for (const [filter, count] of Array.from({ length: 8 }, () => [...found]).flat()) {
    const page = { after: undefined, limit: 50, offset: 0 };
    expect(await listJobs(on.db, few.orgId, filter, page)).toHaveLength(count);
    expect({ filter, walks: overruns(200) }).toEqual({ filter, walks: [] });
  }
  await on.end();
});
