import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const here = await startBroker({ url });
const there = await startBroker({ url });

async function setup() {
  const runner = await givenRunner(db);
  const admin = await givenToken(db, { orgId: runner.orgId });
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  return { ...runner, admin, token };
}

const parkedAt = (broker: typeof here) => () => broker.broker.events.readers();

describe("a wait for a job", () => {
  test("is answered at once when the job is final", async () => {
    const runner = await setup();
    const jobId = await givenJob(db, runner);
    await here.call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
    const answer = await here.call(`GET /v1/runner-jobs/${jobId}/wait`, { token: runner.admin });
    expect(answer).toMatchObject({ status: 200, body: { id: jobId, status: "cancelled" } });
  });

  test("is answered by an end that another broker made, not by other moves", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    const parked = here.call<RunnerJob>(`GET /v1/runner-jobs/${jobId}/wait`, {
      token: runner.admin,
    });
    await expect.poll(parkedAt(here)).toBe(1);
    const path = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
    const { token } = runner;
    await there.call(`PATCH ${path}`, { token, body: { status: "in-progress" } });
    expect(parkedAt(here)()).toBe(1);
    const body = { status: "finished", result: { success: true }, outputs: { a: 1 } };
    await there.call(`POST ${path}/finish`, { token, body });
    expect((await parked).body).toMatchObject({ status: "finished", outputs: { a: 1 } });
    await expect.poll(parkedAt(here)).toBe(0);
  });

  test("is not held up by a transaction that somebody left open", async () => {
    const runner = await setup();
    const jobId = await givenJob(db, runner);
    const open = await db.reserve();
    await open`begin`;
    await open`select pg_current_xact_id()`;
    const parked = here.call(`GET /v1/runner-jobs/${jobId}/wait`, { token: runner.admin });
    await expect.poll(parkedAt(here)).toBe(1);
    await there.call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
    expect(await parked).toMatchObject({ status: 200, body: { status: "cancelled" } });
    await open`rollback`;
    open.release();
  });

  test("answers the job as it is when the time is over", async () => {
    const runner = await setup();
    const jobId = await givenJob(db, runner);
    const path = `GET /v1/runner-jobs/${jobId}/wait?wait=50ms`;
    expect(await here.call(path, { token: runner.admin })).toMatchObject({
      status: 200,
      body: { status: "queued", waiting: { reasons: [{ code: "no-process" }] } },
    });
    expect(parkedAt(here)()).toBe(0);
  });

  test("shares one reader with a hundred others and is answered each by its own job", async () => {
    const runner = await setup();
    const jobs = await givenJobs(
      db,
      runner,
      Array.from({ length: 100 }, () => ({})),
    );
    const waits = jobs.map((jobId) =>
      here.call(`GET /v1/runner-jobs/${jobId}/wait`, { token: runner.admin }),
    );
    await expect.poll(parkedAt(here)).toBe(1);
    await there.call(`POST /v1/runners/${runner.runnerId}/flush`, { token: runner.admin });
    for (const [at, answer] of (await Promise.all(waits)).entries()) {
      expect(answer.body).toMatchObject({ id: jobs[at], status: "not-attempted" });
    }
  });

  test("leaves at once with its client, and is answered when its broker stops", async () => {
    const runner = await setup();
    const jobId = await givenJob(db, runner);
    const going = await startBroker({ url });
    const gone = new AbortController();
    const request = fetch(`${going.url}/v1/runner-jobs/${jobId}/wait`, {
      headers: { authorization: `Bearer ${runner.admin}` },
      signal: gone.signal,
    });
    await expect.poll(parkedAt(going)).toBe(1);
    gone.abort();
    await expect(request).rejects.toThrow("abort");
    await expect.poll(parkedAt(going)).toBe(0);
    const parked = going.call(`GET /v1/runner-jobs/${jobId}/wait`, { token: runner.admin });
    await expect.poll(parkedAt(going)).toBe(1);
    const stopped = going.stop();
    expect(await parked).toMatchObject({ status: 200, body: { status: "queued" } });
    await stopped;
  });

  test("retries until the end: a lost attempt is none", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner, { isOurs: false });
    const job = { maxExecutions: 2 };
    const { jobId, executionId } = await givenExecution(db, runner, { processId, job });
    const parked = here.call(`GET /v1/runner-jobs/${jobId}/wait`, { token: runner.admin });
    await expect.poll(parkedAt(here)).toBe(1);
    await report(db, runner, { executionId, status: "timed-out" });
    await there.call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
    expect((await parked).body).toMatchObject({ status: "cancelled", execution_count: 1 });
  });
});
