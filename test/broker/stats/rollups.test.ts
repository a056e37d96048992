import { describe, expect, test } from "vitest";
import { tallyJobEnds } from "../../../broker/database-metrics/tally-job-ends.ts";
import { connect, type Db } from "../../../broker/database/connect.ts";
import { sampleStats } from "../../../broker/stats/sample-stats.ts";
import { bucketUptoS, lastBucket } from "../../../shared/duration-buckets.ts";
import { runnerJobGroups, runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import { tallyAll } from "../../support/broker/metrics.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  claim,
  type GivenRunner,
  givenJob,
  givenJobs,
  givenOrg,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

/** Other tests' open transactions hold a tally back. */

async function setup() {
  const { db, url } = await testDatabase();
  await stopClock(db);
  await toMinute(db);
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner, { serves: { deploy: 1 } });
  return { db, url, runner, processId };
}

/** Moves the stopped clock to the beginning of a minute at noon. */
async function toMinute(db: Db): Promise<void> {
  const [row] = await db<{ rest: string }[]>`
    select (date_trunc('day', svc_now()) + interval '36 hours' - svc_now())::text as rest`;
  await advanceClock(db, row?.rest ?? "0");
}

/** A broker counts, and is gone before its statement is over. */
async function tallyAndDie({ db, url }: { db: Db; url: string }): Promise<void> {
  const name = "killed";
  const other = connect(url, { max: 1, applicationName: name });
  const tallying = other`
    select t.*, pg_sleep(300) from tally_job_ends('{1}', 200000) t`.catch(
    (error: unknown) => error,
  );
  const asleep = async () =>
    await db<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = ${name} and wait_event = 'PgSleep'`;
  await expect.poll(async () => (await asleep()).length).toBe(1);
  await db`select pg_terminate_backend(${(await asleep())[0]?.pid ?? 0})`;
  expect(await tallying).toBeInstanceOf(Error);
  await other.end({ timeout: 1 });
}

async function endOne(db: Db, runner: GivenRunner, processId: string): Promise<void> {
  const [held] = await claim(db, runner, { processId });
  const executionId = held?.executionId ?? "";
  await report(db, runner, { executionId, status: "finished", result: { success: true } });
}

/** The rollups of one width, oldest first, their instants as seconds after noon. */
async function rollups(db: Db, width = 60) {
  return db<Record<string, unknown>[]>`
    select extract(epoch from at - date_trunc('day', at))::int - 43200 as at, runner_group_id, job_group, type, enqueued, finished,
           failed + timed_out + not_attempted + cancelled as others, queue_times, queue_max, run_times, run_max
      from job_rollups where width_s = ${width} and runner_group_id <> 'all' order by at, job_group, type`;
}

describe("rollups of jobs", () => {
  test("have each move in its own minute: an end at 59.999 s in that one", async () => {
    const { db, runner, processId } = await setup();
    await givenJobs(db, runner, [{}, {}]);
    await advanceClock(db, "59.999 seconds");
    await endOne(db, runner, processId);
    await advanceClock(db, "0.001 seconds");
    await endOne(db, runner, processId);
    await tallyAll(db);
    const labels = { runner_group_id: runner.groupId, job_group: "deploy", type: "noop-deploy" };
    expect(await rollups(db)).toMatchObject([
      { at: 0, ...labels, enqueued: 2, finished: 1, others: 0, queue_max: 59.999, run_max: 0 },
      { at: 60, ...labels, enqueued: 0, finished: 1, others: 0, queue_max: 60, run_max: 0 },
    ]);
    for (const width of [300, 3600, 86_400])
      expect(await rollups(db, width)).toMatchObject([{ enqueued: 2, finished: 2, queue_max: 60 }]);
  });

  test("count the wait of a job once, at its first claim, and its run at its end", async () => {
    const { db, runner, processId } = await setup();
    await givenJob(db, runner, { maxExecutions: 2 });
    await advanceClock(db, "3 seconds");
    const [held] = await claim(db, runner, { processId });
    await report(db, runner, { executionId: held?.executionId ?? "", giveBack: true });
    await advanceClock(db, "4 seconds");
    await endOne(db, runner, processId);
    await tallyAll(db);
    const [row] = await rollups(db);
    expect(row).toMatchObject({ queue_max: 3, run_max: 4 });
    expect(Object.values(row?.["queue_times"] ?? {})).toEqual([1]);
    expect(Object.values(row?.["run_times"] ?? {})).toEqual([1]);
  });

  test("have each end once, though three brokers count at once and one is killed between", async () => {
    const { db, url, runner, processId } = await setup();
    for (let n = 0; n < 20; n += 1) {
      await givenJobs(db, runner, [{}]);
      await endOne(db, runner, processId);
      if (n === 10) await tallyAndDie({ db, url });
      await Promise.all([tallyJobEnds(db), tallyJobEnds(db), tallyJobEnds(db)]);
    }
    await tallyAll(db);
    expect(await rollups(db)).toMatchObject([{ enqueued: 20, finished: 20 }]);
    const [totals] = await db<{ jobs: number }[]>`
      select sum(jobs)::int as jobs from runner_job_tallies where measure = 'end'`;
    expect(totals?.jobs).toBe(20);
  });

  test("are at most 101 for an org and a time, whatever labels it makes", async () => {
    const { db, runner } = await setup();
    const other = await givenRunner(db);
    await givenJob(db, other);
    const some = runnerJobTypeNames.slice(0, 12);
    for (const type of some)
      await givenJobs(
        db,
        runner,
        runnerJobGroups
          .map(() => ({ type }))
          .map((job, n) => ({ ...job, group: runnerJobGroups[n] ?? "" })),
      );
    await tallyAll(db);
    for (const width of [60, 86_400]) {
      const [row] = await db<{ rows: number; jobs: number; others: number }[]>`
        select count(*)::int as rows, sum(enqueued)::int as jobs, sum(enqueued) filter (where type = 'other')::int as others
          from job_rollups where org_id = ${runner.orgId} and width_s = ${width} and runner_group_id <> 'all'`;
      expect(row).toEqual({ rows: 101, jobs: 132, others: 32 });
    }
    expect(
      await db`select type from job_rollups where org_id = ${other.orgId} and width_s = 60 and runner_group_id <> 'all'`,
    ).toMatchObject([{ type: "noop-deploy" }]);
    // What has a place keeps it; what has none finds none later on that day.
    for (const type of some) await givenJobs(db, runner, [{ type, group: "actions" }]);
    await tallyAll(db);
    const [row] = await db<{ rows: number; jobs: number }[]>`
      select count(*)::int as rows, sum(enqueued)::int as jobs
        from job_rollups where org_id = ${runner.orgId} and width_s = 86400 and runner_group_id <> 'all'`;
    expect(row).toEqual({ rows: 101, jobs: 144 });
  });

  test("add up the runner groups of an org beyond the first ten", async () => {
    const { db } = await setup();
    const orgId = await givenOrg(db);
    for (let n = 0; n < 12; n += 1) await givenJob(db, await givenRunner(db, { orgId }));
    await tallyAll(db);
    const rows = await db<{ id: string; jobs: number }[]>`
      select runner_group_id as id, enqueued as jobs from job_rollups where org_id = ${orgId} and width_s = 60`;
    expect(rows).toHaveLength(12);
    expect(rows.find(({ id }) => id === "all")?.jobs).toBe(12);
    expect(rows.find(({ id }) => id === "other")?.jobs).toBe(2);
  });
});

describe("buckets of durations", () => {
  test("are the same in the database and here", async () => {
    const { db } = await testDatabase();
    for (let bucket = 0; bucket < lastBucket; bucket += 1) {
      const uptoS = bucketUptoS(bucket);
      const [row] = await db<{ in: number; over: number }[]>`
        select duration_bucket(${uptoS}) as in, duration_bucket(${uptoS * 1.001}) as over`;
      expect(row).toEqual({ in: bucket, over: bucket + 1 });
    }
    expect(
      await db`select duration_bucket(-1) as a, duration_bucket(0) as b, duration_bucket(1e9) as c`,
    ).toMatchObject([{ a: 0, b: 0, c: lastBucket }]);
  });
});

describe("samples", () => {
  test("are taken by one of many brokers, and kept once a minute", async () => {
    const { db, runner } = await setup();
    await givenJobs(db, runner, [{}, {}, {}, {}, {}]);
    const taken = await Promise.all([sampleStats(db), sampleStats(db), sampleStats(db)]);
    expect(taken.filter((one) => one)).toHaveLength(1);
    await advanceClock(db, "30 seconds");
    expect(await sampleStats(db)).toBe(true);
    expect(await sampleStats(db)).toBe(false);
    await advanceClock(db, "30 seconds");
    expect(await sampleStats(db)).toBe(true);
    expect(
      await db`select width_s, minutes from rollup_coverage order by width_s, at`,
    ).toMatchObject([
      { width_s: 60, minutes: 1 },
      { width_s: 60, minutes: 1 },
      { width_s: 300, minutes: 2 },
      { width_s: 3600, minutes: 2 },
      { width_s: 86_400, minutes: 2 },
    ]);
    const deploy = {
      org_id: runner.orgId,
      job_group: "deploy",
      waiting_sum: 10,
      waiting_max: 5,
      in_progress_sum: 0,
      in_use_sum: 2,
      capacity_sum: 2,
      oldest_max: 60,
    };
    expect(
      await db`select * from queue_rollups where width_s = 3600 order by runner_group_id desc`,
    ).toMatchObject([
      { ...deploy, runner_group_id: runner.groupId },
      { ...deploy, runner_group_id: "all" },
    ]);
  });

  test("write nothing of an org that is as it was", async () => {
    const { db, runner } = await setup();
    await givenJob(db, runner);
    await sampleStats(db);
    const read = () => db`select xmin::text, xmax::text, queued from org_stats order by org_id`;
    const before = await read();
    expect(before).toMatchObject([{ queued: 1 }]);
    await advanceClock(db, "10 seconds");
    expect(await sampleStats(db)).toBe(true);
    expect(await read()).toEqual(before);
  });
});
