import { describe, expect, test } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import { stoppedDatabase } from "../../support/database/stopped-database.ts";
import { passTime } from "../../support/database/sweep-all.ts";
import {
  beat,
  claim,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";
import { jobState, jobsOnOffer } from "../../support/rows/job-state.ts";

const { db } = await stoppedDatabase();

/** A job whose process fell silent for good, while another process of the runner lives on. */
async function setup(type: NewJob["type"], job: Partial<NewJob> = {}) {
  const runner = await givenRunner(db);
  const lost = await givenProcess(db, runner);
  const held = await givenExecution(db, runner, {
    processId: lost,
    job: { type, executionTimeout: 3_600e9, maxExecutions: 2, ...job },
  });
  await report(db, runner, { executionId: held.executionId, status: "in-progress" });
  const other = await givenProcess(db, runner);
  await passTime(db, "301 s", [other]);
  const lose = { runner, lost, other, ...held };
  return { ...lose, onOffer: () => jobsOnOffer(db, runner.runnerId) };
}

describe("a job whose process was lost", () => {
  test("that changes nothing is tried again after the grace", async () => {
    const { jobId, other, onOffer } = await setup("noop-deploy");
    expect(await jobState(db, jobId)).toMatchObject({ status: "queued", executions: ["failed"] });
    expect(await onOffer()).toEqual([]);
    await passTime(db, "61 s", [other]);
    expect(await onOffer()).toEqual([jobId]);
  });

  test("that changes something waits for the lost execution's own deadline and its grace", async () => {
    const { runner, jobId, other, onOffer } = await setup("terraform-deploy");
    await passTime(db, "601 s", [other]);
    expect(await onOffer()).toEqual([]);
    const next = await givenJob(db, runner); // the slot is free after the grace, the retry is not
    expect(await onOffer()).toEqual([next]);
    const [claimed] = await claim(db, runner, { processId: other });
    await report(db, runner, {
      executionId: claimed?.executionId ?? "",
      status: "finished",
      result: { success: true },
    });
    await passTime(db, `${3600 + 600 - 301 - 601 - 2} s`, [other]);
    expect(await onOffer()).toEqual([]);
    expect((await jobState(db, jobId)).status).toBe("queued");
    await passTime(db, "4 s", [other]);
    expect(await onOffer()).toEqual([jobId]);
  });

  test("is not released early by its queue timeout", async () => {
    const { jobId, other } = await setup("terraform-deploy", { queueTimeout: 60e9 });
    await passTime(db, "601 s", [other]);
    await passTime(db, "61 s", [other]);
    expect((await jobState(db, jobId)).status).toBe("queued");
  });

  test("is tried again at once when its process comes back and names it no more", async () => {
    const { jobId, lost, other, onOffer } = await setup("terraform-deploy");
    await beat(db, [lost], []);
    await beat(db, [other]);
    expect(await onOffer()).toEqual([jobId]);
  });

  test("fails when no attempt remains", async () => {
    const { jobId } = await setup("noop-deploy", { maxExecutions: 1 });
    expect(await jobState(db, jobId)).toMatchObject({
      status: "failed",
      description: "process lost",
    });
  });

  test("keeps its place before jobs that came later", async () => {
    const { runner, jobId, other, onOffer } = await setup("noop-deploy");
    await givenJob(db, runner);
    await passTime(db, "61 s", [other]);
    expect(await onOffer()).toEqual([jobId]);
  });
});

describe("a job with a result, whose process was lost before it said the end", () => {
  async function withResult(isOurs: boolean, success: boolean) {
    const runner = await givenRunner(db, { groups: ["deploy"] });
    const processId = await givenProcess(db, runner, isOurs ? {} : { isOurs, serves: null });
    const job = { type: "noop-deploy", executionTimeout: 3_600e9, maxExecutions: 5 } as const;
    const { jobId, executionId } = await givenExecution(db, runner, { processId, job });
    await db`update runner_job_executions set is_ours = ${isOurs} where id = ${executionId}`;
    await report(db, runner, { executionId, status: "in-progress" });
    await report(db, runner, { executionId, result: { success } });
    await passTime(db, "301 s");
    return jobState(db, jobId);
  }

  test.each([
    { whose: "ours", isOurs: true, success: true, status: "finished" },
    { whose: "ours", isOurs: true, success: false, status: "failed" },
    { whose: "a third-party runner's", isOurs: false, success: true, status: "failed" },
  ])("$whose with success $success is $status, and never tried again", async (row) => {
    const { status, executions, events } = await withResult(row.isOurs, row.success);
    expect({ status, executions }).toEqual({ status: row.status, executions: [row.status] });
    expect(events).not.toContain("retry");
  });
});

describe("a job cut by an operator", () => {
  test("fails and is never tried again, however many attempts remain", async () => {
    const { runner, other } = await setup("noop-deploy", { maxExecutions: 1 });
    await passTime(db, "61 s", [other]);
    const job = { type: "noop-deploy", maxExecutions: 5, executionTimeout: 3_600e9 } as const;
    const { jobId, executionId } = await givenExecution(db, runner, { processId: other, job });
    await report(db, runner, { executionId, status: "in-progress" });
    await db`select * from request_shutdowns(${[other]}, array['shd_1'], 'force', '10 s', 'acc_1')`;
    await passTime(db, "9 s", [other]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s", [other]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "failed",
      description: "shut down by an operator",
    });
  });
});

test("a process that says it shuts down leaves nothing running: its jobs are tried again at once", async () => {
  const runner = await givenRunner(db);
  const first = await givenProcess(db, runner);
  const job = { type: "terraform-deploy", maxExecutions: 2 } as const;
  const { jobId, executionId } = await givenExecution(db, runner, { processId: first, job });
  await report(db, runner, { executionId, status: "in-progress" });
  const second = await givenProcess(db, runner);
  await db`select process_goes_down(${first}, 'shut-down', '')`;
  expect(await claim(db, runner, { processId: second })).toMatchObject([{ jobId }]);
});
