import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunnerTokens } from "../../support/rows/given-runner-tokens.ts";
import { givenExecution, givenJob, givenProcess, report } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

const setup = async (given?: Parameters<typeof givenRunnerTokens>[1]) =>
  await givenRunnerTokens(db, given);

describe("a job that is read", () => {
  test("shows its facts, its history, its attempts and its outputs byte for byte", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const plan = '{"z": 1.0, "big": 12345678901234567890}';
    const { jobId, executionId } = await givenExecution(db, runner, {
      processId,
      job: { plan, ownerId: "dep_1", ownerType: "install_deploys", metadata: { a: "b" } },
    });
    await report(db, runner, { executionId, status: "in-progress" });
    const outputs = { s: "x", nested: { n: [1, 2.5] } };
    const result = { success: true, error_code: 0, error_metadata: { k: "v" }, contents: "long" };
    await report(db, runner, {
      executionId,
      status: "finished",
      result,
      outputs,
    });

    const { status, body: job } = await call<RunnerJob>(`GET /v1/runner-jobs/${jobId}`, {
      token: runner.admin,
    });
    expect(status).toBe(200);
    expect(job).toMatchObject({
      id: jobId,
      org_id: runner.orgId,
      runner_id: runner.runnerId,
      runner_process_id: processId,
      owner_id: "dep_1",
      owner_type: "install_deploys",
      type: "noop-deploy",
      group: "deploy",
      status: "finished",
      queue_timeout: 86_400e9,
      available_timeout: 60e9,
      execution_timeout: 300e9,
      max_executions: 1,
      execution_count: 1,
      final_runner_job_execution_id: executionId,
      metadata: { a: "b" },
      outputs,
      outputs_json: Buffer.from(JSON.stringify(outputs)).toString("base64"),
      rerun_of: null,
      logs_complete: false,
    });
    expect(job).not.toHaveProperty("waiting");
    expect(job.execution_time).toBeGreaterThan(0);
    expect(job.status_v2).toMatchObject({ status: "finished" });
    expect(job.status_v2.history.map((entry) => entry.status)).toEqual([
      "queued",
      "available",
      "in-progress",
    ]);
    expect(job.executions).toMatchObject([
      { id: executionId, status: "finished", ended_by: "client", result: { success: true } },
    ]);
    expect(job.executions?.[0]?.result).not.toHaveProperty("contents");
    expect(job.executions?.[0]?.status_v2.history.map((entry) => entry.status)).toEqual([
      "pending",
      "in-progress",
    ]);
    expect(job).not.toHaveProperty("json");

    const withPlan = await call<RunnerJob>(`GET /v1/runner-jobs/${jobId}?include=plan`, {
      token: runner.admin,
    });
    expect(withPlan.body.json).toEqual({
      id: jobId,
      org_id: runner.orgId,
      runner_job_id: jobId,
      plan_json: plan,
      composite_plan: null,
    });
  });

  test("hands out its plan verbatim, once for each ETag", async () => {
    const runner = await setup();
    const plan = '{ "b":1.0,\n"a" : "é" }';
    const jobId = await givenJob(db, runner, { plan });
    for (const path of [
      `/v1/runner-jobs/${jobId}`,
      `/v1/runners/${runner.runnerId}/jobs/${jobId}`,
    ]) {
      for (const token of [runner.admin, runner.token]) {
        const answer = await call<string>(`GET ${path}/plan`, { token });
        expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
        expect(answer).toMatchObject({ status: 200, body: plan });
        const headers = { "if-none-match": answer.headers.get("etag") ?? "" };
        expect(await call(`GET ${path}/plan`, { token, headers })).toMatchObject({ status: 304 });
      }
    }
    const bare = await givenJob(db, runner);
    expect(await call(`GET /v1/runner-jobs/${bare}/plan`, { token: runner.admin })).toMatchObject({
      status: 200,
      body: "{}",
    });
  });

  test("has complete logs a minute after its end", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, status: "finished", result: { success: true } });
    const read = async () => {
      const { body } = await call<RunnerJob>(`GET /v1/runner-jobs/${jobId}`, {
        token: runner.admin,
      });
      return body.logs_complete;
    };
    expect(await read()).toBe(false);
    await advanceClock(db, "61 seconds");
    expect(await read()).toBe(true);
  });

  test("is 404 for another org, for another runner, and under another runner's path", async () => {
    const [one, two] = [await setup(), await setup()];
    const sibling = await setup({ orgId: one.orgId });
    const processId = await givenProcess(db, one);
    const { jobId, executionId } = await givenExecution(db, one, { processId });
    const job = `/v1/runner-jobs/${jobId}`;
    const paths = [
      job,
      `${job}/plan`,
      `${job}/executions`,
      `${job}/executions/${executionId}`,
      `${job}/executions/${executionId}/result`,
    ];
    for (const path of [...paths, `${job}/why`, `${job}/wait`]) {
      expect(await call(`GET ${path}`, { token: two.admin })).toMatchObject({ status: 404 });
    }
    for (const path of paths) {
      expect(await call(`GET ${path}`, { token: sibling.token })).toMatchObject({ status: 404 });
      expect(await call(`GET ${path}`, { token: two.token })).toMatchObject({ status: 404 });
    }
    for (const path of ["", "/plan"]) {
      const wrong = `GET /v1/runners/${sibling.runnerId}/jobs/${jobId}${path}`;
      expect(await call(wrong, { token: one.admin })).toMatchObject({ status: 404 });
      expect(await call(wrong, { token: sibling.token })).toMatchObject({ status: 404 });
    }
    for (const what of [`POST ${job}/cancel`, `POST ${job}/rerun`]) {
      expect(await call(what, { token: two.admin })).toMatchObject({ status: 404 });
      expect(await call(what, { token: one.token })).toMatchObject({ status: 403 });
    }
    const other = await givenJob(db, sibling);
    expect(
      await call(`GET /v1/runner-jobs/${other}/executions/${executionId}`, { token: one.admin }),
    ).toMatchObject({ status: 404 });
    expect(await call("GET /v1/runner-jobs/nonsense", { token: one.admin })).toMatchObject({
      status: 404,
    });
  });
});

describe("an execution that is read", () => {
  test("shows result, outputs, and to operators what came too late", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner, { isOurs: false });
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    const path = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
    expect(await call(`GET ${path}/result`, { token: runner.admin })).toMatchObject({
      status: 404,
    });
    const result = { success: false, error_code: 3, contents: "text", contents_gzip: "aGk=" };
    await report(db, runner, { executionId, status: "failed", result, outputs: { a: 1 } });
    expect(await report(db, runner, { executionId, status: "finished" })).toBe("differs");

    const read = await call(`GET ${path}`, { token: runner.admin });
    expect(read.body).toMatchObject({
      id: executionId,
      status: "failed",
      result: { success: false, error_code: 3 },
      outputs: { outputs: { a: 1 } },
      evidence: [{ kind: "status", body: { status: "finished" } }],
    });
    expect((await call(`GET ${path}`, { token: runner.token })).body).not.toHaveProperty(
      "evidence",
    );
    expect(await call(`GET ${path}/result`, { token: runner.admin })).toMatchObject({
      status: 200,
      body: { contents: "text", contents_gzip: "aGk=" },
    });
    const list = await call<unknown[]>(`GET /v1/runner-jobs/${jobId}/executions`, {
      token: runner.admin,
    });
    expect(list.body).toMatchObject([{ id: executionId, result: { error_code: 3 } }]);
  });
});
