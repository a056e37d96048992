import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunnerTokens } from "../../support/rows/given-runner-tokens.ts";
import {
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

describe("a runner that moves its job", () => {
  test.each([
    ["finished", "finished"],
    ["failed", "failed"],
    ["cancelled", "cancelled"],
    ["not-attempted", "not-attempted"],
    ["timed-out", "timed-out"],
    ["queued", "available"], // given back, and its slot is free at once
    ["in-progress", "in-progress"],
  ])("from in progress to %s makes it %s", async (asked, becomes) => {
    const runner = await setup();
    const processId = await givenProcess(db, runner, { isOurs: false });
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, status: "initializing", result: { success: true } });
    const answer = await call(`PATCH /v1/runner-jobs/${jobId}`, {
      token: runner.token,
      body: { status: asked, from_the_future: 1 },
    });
    expect(answer).toMatchObject({ status: 200, body: { id: jobId, status: becomes } });
  });

  test.each([
    ["cancelled", 200],
    ["not-attempted", 200],
    ["finished", 409],
    ["in-progress", 409],
    ["timed-out", 409],
  ])("from available to %s is answered %i", async (status, code) => {
    const runner = await setup();
    await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    const answer = await call(`PATCH /v1/runner-jobs/${jobId}`, {
      token: runner.token,
      body: { status },
    });
    expect(answer.status).toBe(code);
  });

  test("cannot move it once it is final, nor another runner's, nor to a word that is none", async () => {
    const runner = await setup();
    const sibling = await setup({ orgId: runner.orgId });
    const jobId = await givenJob(db, runner);
    const move = (status: unknown, token = runner.token) =>
      call(`PATCH /v1/runner-jobs/${jobId}`, { token, body: { status } });
    expect(await move("cancelled", sibling.token)).toMatchObject({ status: 404 });
    for (const word of ["unknown", "done", 1, null]) {
      expect(await move(word)).toMatchObject({ status: 422, body: { user_error: true } });
    }
    expect(await move("cancelled")).toMatchObject({ status: 200 });
    expect(await move("cancelled")).toMatchObject({ status: 200 });
    expect(await move("queued")).toMatchObject({ status: 409, body: { code: "job_final" } });
  });
});

describe("a flush", () => {
  test("ends what waits in one group, or in all, and leaves what runs", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner, { serves: { deploy: 1, sync: 1 } });
    const running = await givenExecution(db, runner, { processId });
    await givenJobs(db, runner, [{}, {}]);
    const syncs = await givenJobs(db, runner, [{ type: "noop-sync" }, { type: "noop-sync" }]);
    const flush = (body: object) =>
      call(`POST /v1/runners/${runner.runnerId}/flush`, { token: runner.admin, body });
    expect(await flush({ group: "deploy" })).toMatchObject({ status: 200, body: { flushed: 2 } });
    expect(await flush({})).toMatchObject({ status: 200, body: { flushed: 2 } });
    expect(await flush({})).toMatchObject({ status: 200, body: { flushed: 0 } });
    const read = async (id: string) =>
      (await call(`GET /v1/runner-jobs/${id}`, { token: runner.admin })).body["status"];
    expect(await read(syncs[0] ?? "")).toBe("not-attempted");
    expect(await read(running.jobId)).toBe("in-progress");
    expect(await queueOf(db, runner)).toEqual({ in_use: 1, waiting: 0 });
  });

  test("is 404 on another org's runner, 403 for a runner, 422 with what it does not know", async () => {
    const [one, two] = [await setup(), await setup()];
    const path = `POST /v1/runners/${one.runnerId}/flush`;
    expect(await call(path, { token: two.admin })).toMatchObject({ status: 404 });
    expect(await call(path, { token: one.token })).toMatchObject({ status: 403 });
    for (const body of [{ group: "deploys" }, { everything: true }, { group: 1 }]) {
      expect(await call(path, { token: one.admin, body })).toMatchObject({ status: 422 });
    }
  });
});
