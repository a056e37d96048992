import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { isFaultCode } from "../../../shared/fault-codes.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { readRootFile } from "../../support/run/source-files.ts";
import { givenStateJob, givenWorkspace } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const error = {
  type: "terraform.state_lock",
  title: "The state is locked",
  detail: "ci@runner holds it",
  retryable: true,
  diagnostics: [{ severity: "error", summary: "Error acquiring the state lock" }],
};

/** The same as accounts see it: in the shape of all errors, beside what was told. */
const shownOf = (jobId: string) => ({
  ...error,
  message: "The state is locked: ci@runner holds it",
  severity: "error",
  sections: [{ kind: "text", heading: "Error acquiring the state lock", body: "" }],
  hints: {},
  data: {},
  source_type: "runner_jobs",
  source_id: jobId,
  version: 1,
});

/** An execution in progress; `finish` ends it. */
async function setup(job: object = {}) {
  const given = await givenStateJob(at, await givenWorkspace(at), { job });
  const path = `/v1/runner-jobs/${given.jobId}/executions/${given.executionId}`;
  const own = { token: given.token };
  await at.call(`PATCH ${path}`, { ...own, body: { status: "in-progress" } });
  const read = async () => (await at.call<RunnerJob>(`GET /v1/runner-jobs/${given.jobId}`)).body;
  const store = (result: object) => at.call(`POST ${path}/result`, { ...own, body: result });
  const finish = (status: string, result: object) =>
    at.call(`POST ${path}/finish`, { ...own, body: { status, result } });
  return { ...given, read, store, finish, path, own };
}

describe("a job's composite_error", () => {
  test("is that of the execution's result, in lists too, and absent of a job that finished", async () => {
    const failed = await setup();
    await failed.finish("failed", { success: false, composite_error: error });
    expect((await failed.read()).composite_error).toEqual(shownOf(failed.jobId));
    const list = await at.call<{ items: RunnerJob[] }>(
      `GET /v1/runners/${failed.runnerId}/jobs?cursor=`,
    );
    expect(list.body.items[0]?.composite_error).toEqual(shownOf(failed.jobId));
    const done = await setup();
    await done.finish("finished", { success: true, composite_error: error });
    expect(await done.read()).not.toHaveProperty("composite_error");
    const silent = await setup();
    await silent.finish("failed", { success: false });
    expect(await silent.read()).not.toHaveProperty("composite_error");
  });

  test("is what runners told, word for word, and null of none, where a runner asks", async () => {
    const failed = await setup();
    const own = { token: failed.runnerToken };
    const read = async () =>
      (await at.call<RunnerJob>(`GET /v1/runner-jobs/${failed.jobId}`, own)).body;
    expect((await read()).composite_error).toBeNull();
    await failed.finish("failed", { success: false, composite_error: error });
    expect((await read()).composite_error).toEqual(error);
  });

  test("is the last execution's, when the job was tried again", async () => {
    const job = await setup({ max_executions: 2 });
    await job.finish("timed-out", { success: false, composite_error: error });
    expect((await job.read()).status).toBe("available");
    expect(await job.read()).not.toHaveProperty("composite_error");
    const claimed = await at.call<{ jobs: { execution: { id: string }; token: string }[] }>(
      `POST /v1/runners/${job.runnerId}/jobs/claim`,
      {
        token: job.runnerToken,
        body: { process_id: job.processId, poll_id: "again", groups: { deploy: 1 } },
      },
    );
    const [again] = claimed.body.jobs;
    const other = { type: "terraform.quota", title: "The quota is used up" };
    await at.call(`POST /v1/runner-jobs/${job.jobId}/executions/${again?.execution.id}/finish`, {
      token: again?.token ?? "",
      body: { status: "failed", result: { success: false, composite_error: other } },
    });
    expect((await job.read()).composite_error).toMatchObject(other);
  });

  test("is the broker's own when a process is lost, and stays when that one's word comes late", async () => {
    const job = await setup();
    await advanceClock(at.db, "5 minutes 1 second");
    await expect.poll(async () => (await job.read()).status).toBe("failed");
    const words = { code: "process_lost", severity: "error", detail: "process lost" };
    const lost = { ...words, type: "runner.lost", retryable: true };
    expect((await job.read()).composite_error).toMatchObject(lost);
    await job.store({ success: false, composite_error: error });
    expect((await job.read()).composite_error).toMatchObject(lost);
    expect((await job.read()).executions?.[0]?.result?.composite_error).toEqual(error);
  });

  test("is what a lost process had said before, where it had", async () => {
    const job = await setup();
    await job.store({ success: false, composite_error: error });
    await advanceClock(at.db, "5 minutes 1 second");
    await expect.poll(async () => (await job.read()).status).toBe("failed");
    expect((await job.read()).composite_error).toEqual(shownOf(job.jobId));
  });

  test("names the clock that ended it, and nothing where somebody cancelled it", async () => {
    const slow = await setup({ execution_timeout: "2m" });
    await advanceClock(at.db, "2 minutes 1 second");
    await expect.poll(async () => (await slow.read()).status).toBe("timed-out");
    expect((await slow.read()).composite_error).toMatchObject({
      code: "job_timed_out",
      type: "runner.execution_timeout",
    });
    const runner = await at.createRunner();
    const body = { type: "noop-deploy", operation: "exec", overall_timeout: "2m" };
    const { body: made } = await at.call<RunnerJob>(`POST /v1/runners/${runner.id}/jobs`, { body });
    await advanceClock(at.db, "2 minutes 1 second");
    const read = async () => (await at.call<RunnerJob>(`GET /v1/runner-jobs/${made.id}`)).body;
    await expect.poll(async () => (await read()).status).toBe("cancelled");
    expect((await read()).composite_error).toMatchObject({
      code: "job_timed_out",
      type: "runner.overall_timeout",
    });
    const cancelled = await setup();
    await at.call(`POST /v1/runner-jobs/${cancelled.jobId}/cancel`);
    expect(await cancelled.read()).not.toHaveProperty("composite_error");
  });

  test("has codes of the one list, also where the database writes it", async () => {
    const sql = await readRootFile("migrations/functions/moves.sql");
    const codes = [...sql.matchAll(/'code', '(\w+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(3);
    expect(codes.filter((code) => !isFaultCode(code))).toEqual([]);
  });

  test("is cut where it is too large, and says so", async () => {
    const many = Array.from({ length: 200 }, (_, n) => ({ summary: `${n} ${"x".repeat(500)}` }));
    const long = await setup();
    await long.finish("failed", {
      success: false,
      composite_error: { ...error, diagnostics: many },
    });
    const shown = (await long.read()).composite_error;
    expect(shown).toMatchObject({ type: error.type, truncated: true });
    expect(shown?.["diagnostics"]).toHaveLength(20);
    const huge = await setup();
    const detail = "😀".repeat(50_000);
    await huge.finish("failed", {
      success: false,
      composite_error: { ...error, detail, a: many.map(() => many), b: { c: many } },
    });
    const { a, detail: kept, ...rest } = (await huge.read()).composite_error ?? {};
    expect(a).toBeUndefined();
    expect(kept).toHaveLength(1000);
    expect(rest).toMatchObject({
      type: error.type,
      title: error.title,
      retryable: true,
      truncated: true,
    });
    expect(rest).not.toHaveProperty("b");
  });
});
