import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { secondsBounds, tallyJobEnds } from "../../../broker/figures/tally-job-ends.ts";
import { startBroker, type TestBroker } from "../../support/broker.ts";
import { advanceClock } from "../../support/clock.ts";
import { testDatabase } from "../../support/database.ts";
import { givenToken } from "../../support/given-token.ts";
import {
  beat,
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/given.ts";

/** A broker of its own over an empty database, and how to read what its /metrics say after a fresh look. */
async function setup() {
  const { url, db } = await testDatabase();
  const broker = await startBroker({ url });
  return { db, broker, metrics: () => readMetrics(broker) };
}

/** Every sample by its whole name, labels included. */
async function readMetrics(broker: TestBroker): Promise<Map<string, number>> {
  await tallyAll(broker.broker.db);
  await broker.broker.figures.refresh();
  const { body } = await broker.call<string>("GET /metrics");
  const samples = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map(toSample));
}

/** Tallies until all that has ended is; transactions of other tests' databases hold it back, too. */
async function tallyAll(db: Db): Promise<number> {
  const [present] = await db<
    { tx: string }[]
  >`select pg_snapshot_xmax(pg_current_snapshot())::text as tx`;
  let total = 0;
  await vi.waitUntil(async () => {
    total += await tallyJobEnds(db);
    const [mark] = await db<
      { passed: boolean }[]
    >`select tx >= ${present?.tx ?? ""}::xid8 as passed from runner_job_tally_mark`;
    return mark?.passed === true;
  });
  return total;
}

function toSample(line: string): [string, number] {
  const at = line.lastIndexOf(" ");
  return [line.slice(0, at), Number(line.slice(at + 1))];
}

async function cancel(db: Db, { orgId }: GivenRunner, job = ""): Promise<void> {
  await db`select * from end_jobs(${orgId}, ${[job]}, 'cancel', 'enough')`;
}

const finished = { status: "finished", result: { success: true } };

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
    await cancel(db, runner, held.jobId);
    expect(Object.fromEntries(await metrics())).toMatchObject({
      'svc_jobs{group="deploy",status="in-progress"}': 0,
      'svc_queue_in_flight{group="deploy"}': 1,
    });
  });

  test("counts a job whose queue timeout passed as available, though it has no slot", async () => {
    const { db, broker, metrics } = await setup();
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    await givenJobs(db, runner, [{ availableTimeout: 3600e9 }, { queueTimeout: 60e9 }]);
    await advanceClock(db, "61 seconds");
    await expect
      .poll(async () => (await metrics()).get('svc_jobs{group="deploy",status="available"}'))
      .toBe(2);
    expect((await metrics()).get('svc_queue_depth{group="deploy"}')).toBe(1);
    expect((await metrics()).get('svc_sweep_due_total{sweep="sweep_jobs"}')).toBeGreaterThan(0);
    expect(broker.logged.join("")).not.toContain("a loop failed");
  });

  test("tells the age of the oldest that waits, however often it was withdrawn", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    await givenJob(db, runner);
    await db`update runner_job_live set withdrawals = 3, created_at = created_at - interval '2 hours'`;
    await givenJob(db, runner);
    const age = (await metrics()).get('svc_oldest_waiting_seconds{group="deploy"}');
    expect(age).toBeGreaterThanOrEqual(7200);
    expect(age).toBeLessThan(7260);
    expect((await metrics()).get('svc_oldest_waiting_seconds{group="sync"}')).toBe(0);
  });

  test("tells the silence of the quietest live process, and forgets those it gave up on", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    const [loud] = [await givenProcess(db, runner), await givenProcess(db, runner)];
    await advanceClock(db, "40 seconds");
    await beat(db, [loud]);
    const age = (await metrics()).get("svc_heartbeat_age_seconds");
    expect(age).toBeGreaterThanOrEqual(40);
    await advanceClock(db, "25 seconds");
    await expect
      .poll(async () => (await metrics()).get("svc_heartbeat_age_seconds"))
      .toBeLessThan(40);
  });
});

describe("what has ended", () => {
  test("is in the totals and histograms, each job once", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await givenJob(db, runner);
    await advanceClock(db, "7 seconds");
    const [held] = await claim(db, runner, { processId });
    await advanceClock(db, "90 seconds");
    await report(db, runner, { executionId: held?.executionId ?? "", ...finished });
    await cancel(db, runner, await givenJob(db, runner));
    const first = await metrics();
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
    expect(first.get('svc_job_run_seconds_sum{group="deploy",result="finished"}')).toBeCloseTo(
      90,
      0,
    );
    const isTallied = ([name]: [string, number]) => /^svc_job(?:s_total|_queue|_run)/.test(name);
    const again = [...(await metrics())].filter(isTallied);
    expect(again).toEqual([...first].filter(isTallied));
  });

  test("is told alike by every broker", async () => {
    const { db, broker, metrics } = await setup();
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
    const { db } = await setup();
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
    const { db } = await setup();
    const runner = await givenRunner(db);
    for (const job of await givenJobs(db, runner, [{}, {}, {}])) {
      await cancel(db, runner, job);
    }
    const [step] = await db`select * from tally_job_ends(${[...secondsBounds]}::float8[], 1)`;
    expect(step).toMatchObject({ tallied: 0, is_more: true });
    expect(await tallyAll(db)).toBe(3);
  });

  test("is tallied by the background work of a broker, every minute", async () => {
    const { db, metrics } = await setup();
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, ...finished });
    await db`select graphile_worker.add_job('tally-job-ends')`;
    await expect.poll(async () => (await db`select * from runner_job_tallies`).length).toBe(3);
    expect(
      (await metrics()).get('svc_job_run_seconds_count{group="deploy",result="finished"}'),
    ).toBe(1);
  });
});

describe("a broker", () => {
  let broker: TestBroker;
  let found: Map<string, number>;

  beforeAll(async () => {
    const { url, db } = await testDatabase();
    broker = await startBroker({ url });
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
    const body = { process_id: processId, groups: { deploy: 1 } };
    const claiming = broker.call(`POST /v1/runners/${runner.runnerId}/jobs/claim`, { token, body });
    await vi.waitUntil(() => broker.broker.desk.dispatcher.room.size === 1);
    await givenJob(db, runner);
    expect((await claiming).status).toBe(200);
    await vi.waitUntil(async () => {
      found = await readMetrics(broker);
      return found.get("svc_listen_connected") === 1;
    });
  });

  test("counts its parked polls and how many one look serves", () => {
    expect(found.get("svc_parked_polls")).toBe(0);
    expect(found.get("svc_claim_batch_count")).toBeGreaterThan(0);
    expect(found.get('svc_claim_batch_bucket{le="1"}')).toBe(found.get("svc_claim_batch_count"));
  });

  test("knows its pool, its event loop and its process", () => {
    for (const name of [
      "svc_pg_pool_in_use",
      "svc_pg_pool_answer_seconds",
      "svc_figures_age_seconds",
      'svc_event_loop_lag_seconds{quantile="0.99"}',
      "process_open_fds",
    ]) {
      expect(found.get(name), name).toBeGreaterThanOrEqual(0);
    }
    expect(found.get("process_resident_memory_bytes")).toBeGreaterThan(10e6);
    expect(found.get("process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(found.get("process_start_time_seconds")).toBeGreaterThan(1.7e9);
  });

  test("has no label that looks like an id, a URL or an address", () => {
    const labels = [...found.keys()].flatMap((name) => [...name.matchAll(/(\w+)="([^"]*)"/g)]);
    expect(labels.length).toBeGreaterThan(50);
    const isLoose = (value: string) =>
      /[a-z]{3}_[0-9a-z]{20,}|\/\/|\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{8}-/.test(value) ||
      value.length > 80;
    expect(labels.filter(([, , value = ""]) => isLoose(value)).map(([text]) => text)).toEqual([]);
    const names = new Set(labels.map(([, name]) => name));
    expect([...names].filter((name = "") => /runner|job|org|process|url|token/.test(name))).toEqual(
      [],
    );
  });
});
