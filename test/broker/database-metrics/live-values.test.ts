import { describe, expect, test } from "vitest";
import { metricsSetup } from "../../support/broker/metrics.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import {
  beat,
  claim,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

/** A broker over an empty database whose clock stands: a fresh look at it takes its time. */
async function setup() {
  const made = await metricsSetup();
  await stopClock(made.db);
  return made;
}

describe("what lives", () => {
  test("is counted by group and status, from the queues' counters", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    const processId = await givenProcess(db, runner, { serves: { deploy: 2 } });
    await givenJobs(db, runner, [{}, {}, {}, {}, {}]);
    await claim(db, runner, { processId });
    expect(Object.fromEntries(await metrics())).toMatchObject({
      'svc_jobs{group="deploy",status="queued"}': 3,
      'svc_jobs{group="deploy",status="available"}': 1,
      'svc_jobs{group="deploy",status="in-progress"}': 1,
      'svc_queue_depth{group="deploy"}': 3,
      'svc_queue_in_flight{group="deploy"}': 2,
      'svc_queue_capacity{group="deploy"}': 2,
      'svc_jobs{group="sandbox",status="queued"}': 0,
      'svc_runners{status="active"}': 1,
    });
  });

  test("does not count an execution that is stopping as a job in progress", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const held = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId: held.executionId, status: "in-progress" });
    await db`select * from end_jobs(${runner.orgId}, ${[held.jobId]}, 'cancel', 'enough')`;
    expect(Object.fromEntries(await metrics())).toMatchObject({
      'svc_jobs{group="deploy",status="in-progress"}': 0,
      'svc_queue_in_flight{group="deploy"}': 1,
    });
  });

  test("counts a job whose queue timeout passed as available, though it has no slot", async () => {
    const { db, broker, metrics } = await setup();
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    await givenJobs(db, runner, [{ availableTimeout: 3600e9 }, { queueTimeout: 20e9 }]);
    await advanceClock(db, "21 seconds");
    await expect
      .poll(async () => (await metrics()).get('svc_jobs{group="deploy",status="available"}'))
      .toBe(2);
    expect((await metrics()).get('svc_queue_depth{group="deploy"}')).toBe(1);
    expect((await metrics()).get('svc_sweep_due_total{sweep="sweep_jobs"}')).toBeGreaterThan(0);
    // Those two fail, and say so, when a machine that does much else keeps them waiting for seconds.
    const failed = broker.logged.filter((line) => line.includes("background loop failed"));
    expect(failed.filter((line) => !/"loop":"(?:listen|figures)"/.test(line))).toEqual([]);
  });

  test("tells the age of the oldest that waits, however often it was withdrawn", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    await givenJob(db, runner);
    await db`update runner_job_live set withdrawals = 3, created_at = created_at - interval '2 hours'`;
    await givenJob(db, runner);
    expect((await metrics()).get('svc_oldest_waiting_seconds{group="deploy"}')).toBe(7200);
    expect((await metrics()).get('svc_oldest_waiting_seconds{group="sync"}')).toBe(0);
  });

  test("tells the silence of the quietest live process, and forgets those it gave up on", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    const [loud] = [await givenProcess(db, runner), await givenProcess(db, runner)];
    await advanceClock(db, "40 seconds");
    await beat(db, [loud]);
    expect((await metrics()).get("svc_heartbeat_age_seconds")).toBe(40);
    await advanceClock(db, "25 seconds");
    await expect.poll(async () => (await metrics()).get("svc_heartbeat_age_seconds")).toBe(25);
  });
});
