import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunnerTokens } from "../../support/rows/given-runner-tokens.ts";
import {
  claim,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  report,
} from "../../support/rows/given.ts";
import { queueOf } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

const setup = async (given?: Parameters<typeof givenRunnerTokens>[1]) =>
  await givenRunnerTokens(db, given);

describe("a cancel", () => {
  test("ends a job that waits, and says so again when it is asked again", async () => {
    const runner = await setup();
    await givenProcess(db, runner);
    const jobs = await givenJobs(db, runner, [{}, {}]); // one available, one queued
    for (const jobId of jobs) {
      for (let times = 0; times < 2; times++) {
        const answer = await call<RunnerJob>(`POST /v1/runner-jobs/${jobId}/cancel`, {
          token: runner.admin,
        });
        expect(answer).toMatchObject({ status: 202, body: { id: jobId, status: "cancelled" } });
        expect(answer.body.status_description).toMatch(/^cancelled by tok_/);
        expect(answer.body.finished_at).not.toBeNull();
      }
    }
    expect(await queueOf(db, runner)).toEqual({ in_use: 0, waiting: 0 });
    const events = await db`
      select from runner_job_events where runner_job_id = any(${jobs}) and event = 'cancel'`;
    expect(events).toHaveLength(2);
  });

  test("of a pending execution of ours ends both at once and frees the slot", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
    const path = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
    expect((await call(`GET ${path}`, { token: runner.admin })).body).toMatchObject({
      status: "cancelled",
      ended_by: "broker",
    });
    expect(await queueOf(db, runner)).toEqual({ in_use: 0, waiting: 0 });
    const late = { token: runner.token, body: { status: "in-progress" } };
    expect(await call(`PATCH ${path}`, late)).toMatchObject({ status: 409 });
  });

  test("of running work keeps its slot until it has stopped", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, status: "in-progress" });
    await call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
    expect(await queueOf(db, runner)).toEqual({ in_use: 1, waiting: 0 });
    const next = await givenJob(db, runner);
    expect(await claim(db, runner, { processId })).toEqual([]);
    const why = await call(`GET /v1/runner-jobs/${next}/why`, { token: runner.admin });
    expect(why.body).toMatchObject({
      reasons: [{ code: "group-full" }, { code: "still-stopping" }],
    });
  });

  test.each(["finished", "failed"])(
    "of a job that is %s is a 409 and changes nothing",
    async (status) => {
      const runner = await setup();
      const processId = await givenProcess(db, runner);
      const { jobId, executionId } = await givenExecution(db, runner, { processId });
      await report(db, runner, { executionId, status, result: { success: status === "finished" } });
      const answer = await call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin });
      expect(answer).toMatchObject({ status: 409, body: { code: "job_final" } });
      expect(
        (await call(`GET /v1/runner-jobs/${jobId}`, { token: runner.admin })).body,
      ).toMatchObject({
        status,
      });
    },
  );

  test("of nobody's job is 404, and takes no members", async () => {
    const runner = await setup();
    const nobody = `job_${"0".repeat(26)}`;
    const answer = await call(`POST /v1/runner-jobs/${nobody}/cancel`, { token: runner.admin });
    expect(answer).toMatchObject({ status: 404, body: { code: "job_not_found" } });
    const jobId = await givenJob(db, runner);
    const body = { force: true };
    expect(
      await call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin, body }),
    ).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/force" }] } });
  });

  test("races claims, reports and other cancels: every job ends once, every slot comes free", async () => {
    const runner = await setup({ parallelism: { deploy: 50 } });
    const processId = await givenProcess(db, runner, { serves: { deploy: 50 } });
    const jobs = await givenJobs(
      db,
      runner,
      Array.from({ length: 50 }, () => ({})),
    );
    const cancels = jobs.flatMap((jobId) =>
      [0, 1].map(() => call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: runner.admin })),
    );
    const claims = Array.from({ length: 25 }, async () => {
      const claimed = await claim(db, runner, { processId, want: 2 });
      for (const { executionId } of claimed) {
        await report(db, runner, { executionId, status: "finished", result: { success: true } });
      }
    });
    const [answers] = await Promise.all([Promise.all(cancels), Promise.all(claims)]);
    for (const [at, jobId] of jobs.entries()) {
      const [end, ...more] = await db<{ status: string }[]>`
        select status from runner_job_ends where runner_job_id = ${jobId}`;
      expect(more).toEqual([]);
      const expected = end?.status === "cancelled" ? 202 : 409;
      expect([answers[2 * at]?.status, answers[2 * at + 1]?.status]).toEqual([expected, expected]);
      const ends = await db`
        select from runner_job_events where runner_job_id = ${jobId} and event in ('cancel', 'finish')`;
      expect(ends).toHaveLength(1);
    }
    expect(await queueOf(db, runner)).toEqual({ in_use: 0, waiting: 0 });
  });
});

describe("a rerun", () => {
  test("is a new job like the old one, which stays as it ended", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const plan = '{"b": 1.0}';
    const job = { plan, ownerId: "own_1", ownerType: "x", metadata: { k: "v" }, maxExecutions: 3 };
    const { jobId, executionId } = await givenExecution(db, runner, { processId, job });
    await report(db, runner, { executionId, status: "failed", result: {} });
    const again = await call<RunnerJob>(`POST /v1/runner-jobs/${jobId}/rerun`, {
      token: runner.admin,
    });
    expect(again).toMatchObject({
      status: 201,
      body: {
        rerun_of: jobId,
        status: "available",
        type: "noop-deploy",
        owner_id: "own_1",
        metadata: { k: "v" },
        max_executions: 3,
        execution_count: 0,
      },
    });
    expect(again.body.id).not.toBe(jobId);
    const planned = await call(`GET /v1/runner-jobs/${again.body.id}/plan`, {
      token: runner.admin,
    });
    expect(planned.body).toBe(plan);
    const old = await call(`GET /v1/runner-jobs/${jobId}`, { token: runner.admin });
    expect(old.body).toMatchObject({ status: "failed", rerun_of: null });
  });

  test("of a job that still runs leaves it running; with a key it is done once", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const { jobId } = await givenExecution(db, runner, { processId });
    const headers = { "idempotency-key": "once" };
    const ask = () =>
      call<RunnerJob>(`POST /v1/runner-jobs/${jobId}/rerun`, { token: runner.admin, headers });
    const [first, second] = [await ask(), await ask()];
    expect(first).toMatchObject({ status: 201, body: { status: "queued" } });
    expect(second.body.id).toBe(first.body.id);
  });

  test("on a disabled runner is a 409", async () => {
    const runner = await setup();
    const jobId = await givenJob(db, runner);
    await db`update runners set lifecycle = 'disabled' where id = ${runner.runnerId}`;
    const answer = await call(`POST /v1/runner-jobs/${jobId}/rerun`, { token: runner.admin });
    expect(answer).toMatchObject({ status: 409, body: { code: "runner_disabled" } });
  });
});
