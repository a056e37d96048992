import { describe, expect, test } from "vitest";
import { secondsBounds, tallyJobEnds } from "../../../broker/database-metrics/tally-job-ends.ts";
import type { Db } from "../../../broker/database/connect.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { metricsSetup, readMetrics, tallyAll } from "../../support/broker/metrics.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

/** Other tests' open transactions hold a tally back. */

const finished = { status: "finished", result: { success: true } };

async function cancel(db: Db, { orgId }: GivenRunner, job = ""): Promise<void> {
  await db`select * from end_jobs(${orgId}, ${[job]}, 'cancel', 'enough')`;
}

describe("what has ended", () => {
  test("is in the totals and histograms, each job once", async () => {
    const { url, db } = await testDatabase();
    await stopClock(db);
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await givenJob(db, runner);
    await advanceClock(db, "7 seconds");
    const [held] = await claim(db, runner, { processId });
    await advanceClock(db, "90 seconds");
    await report(db, runner, { executionId: held?.executionId ?? "", ...finished });
    await cancel(db, runner, await givenJob(db, runner));
    // Not before: it would take back a job that nobody confirmed for ninety seconds.
    const broker = await startBroker({ url });
    const first = await readMetrics(broker);
    expect(Object.fromEntries(first)).toMatchObject({
      'svc_jobs_total{group="deploy",type="noop-deploy",result="finished"}': 1,
      'svc_jobs_total{group="deploy",type="noop-deploy",result="cancelled"}': 1,
      'svc_job_queue_seconds_bucket{group="deploy",le="5"}': 0,
      'svc_job_queue_seconds_bucket{group="deploy",le="10"}': 1,
      'svc_job_queue_seconds_count{group="deploy"}': 1,
      'svc_job_run_seconds_bucket{group="deploy",result="finished",le="60"}': 0,
      'svc_job_run_seconds_bucket{group="deploy",result="finished",le="120"}': 1,
      'svc_job_run_seconds_bucket{group="deploy",result="finished",le="+Inf"}': 1,
    });
    const [ran] = await db<{ seconds: number }[]>`
      select extract(epoch from finished_at - started_at)::float8 as seconds
        from runner_job_ends where status = 'finished'`;
    expect(ran?.seconds).toBeGreaterThanOrEqual(90);
    expect(first.get('svc_job_run_seconds_sum{group="deploy",result="finished"}')).toBeCloseTo(
      ran?.seconds ?? 0,
    );
    const isTallied = ([name]: [string, number]) => /^svc_job(?:s_total|_queue|_run)/.test(name);
    const again = [...(await readMetrics(broker))].filter(isTallied);
    expect(again).toEqual([...first].filter(isTallied));
  });

  test("is told alike by every broker", async () => {
    const { db, broker, metrics } = await metricsSetup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, ...finished });
    const other = await startBroker({ url: broker.broker.config.databaseUrl });
    const name = 'svc_jobs_total{group="deploy",type="noop-deploy",result="finished"}';
    expect((await metrics()).get(name)).toBe(1);
    expect((await readMetrics(other)).get(name)).toBe(1);
  });

  test("waits while a transaction that may have ended a job is open, and then counts it once", async () => {
    const { db } = await metricsSetup();
    const runner = await givenRunner(db);
    const [slow, quick] = await givenJobs(db, runner, [{}, {}]);
    await tallyAll(db);
    const other = await db.reserve();
    await other`begin`;
    await other`select pg_current_xact_id()`;
    await cancel(db, runner, quick);
    expect(await tallyJobEnds(db)).toBe(0);
    await other`select * from end_jobs(${runner.orgId}, ${[slow ?? ""]}, 'cancel', 'enough')`;
    await other`commit`;
    other.release();
    const tallied = await Promise.all([tallyAll(db), tallyAll(db), tallyAll(db)]);
    expect(tallied.reduce((sum, one) => sum + one)).toBe(2);
  });

  test("is tallied in steps when much is to be done", async () => {
    const { db } = await metricsSetup();
    const runner = await givenRunner(db);
    for (const job of await givenJobs(db, runner, [{}, {}, {}])) {
      await cancel(db, runner, job);
    }
    const [step] = await db`select * from tally_job_ends(${[...secondsBounds]}::float8[], 1)`;
    expect(step).toMatchObject({ tallied: 0, is_more: true });
    expect(await tallyAll(db)).toBe(3);
  });

  test("is tallied by the background work of a broker, every minute", async () => {
    const { db, metrics } = await metricsSetup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, ...finished });
    // Another test's open transaction may hold the first turn back; the next minute's would go on.
    const tallied = async () => {
      await db`select graphile_worker.add_job('tally-job-ends', job_key := 'now')`;
      return (await db`select * from runner_job_tallies`).length;
    };
    await expect.poll(tallied).toBe(3);
    expect(
      (await metrics()).get('svc_job_run_seconds_count{group="deploy",result="finished"}'),
    ).toBe(1);
  });
});
