import { describe, expect, test } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import { secondNs } from "../../../shared/duration.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { stoppedDatabase } from "../../support/database/stopped-database.ts";
import { passTime, sweepAll } from "../../support/database/sweep-all.ts";
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

const minuteNs = 60 * secondNs;

/** A job of this kind that runs on a live process. */
async function setup(job: Partial<NewJob> = {}) {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const held = await givenExecution(db, runner, {
    processId,
    job: { type: "noop-deploy", executionTimeout: 2 * minuteNs, ...job },
  });
  await report(db, runner, { executionId: held.executionId, status: "in-progress" });
  return { runner, processId, ...held, take: () => claim(db, runner, { processId }) };
}

describe("the execution timeout", () => {
  test("expires the job when no attempt remains", async () => {
    const { processId, jobId } = await setup();
    await passTime(db, "119 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "timed-out",
      clock: "execution_timeout",
      description: "the execution timeout passed",
      executions: ["timed-out"],
    });
  });

  test("runs from the claim, whatever is reported", async () => {
    const { runner, processId, jobId, executionId } = await setup();
    await passTime(db, "100 s", [processId]);
    await report(db, runner, { executionId, status: "cleaning-up" });
    await passTime(db, "21 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("timed-out");
  });

  test("has the job tried again while attempts remain, after the execution has stopped", async () => {
    const { runner, processId, jobId, take } = await setup({ maxExecutions: 2 });
    await passTime(db, "121 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({ status: "queued", execution_count: 1 });
    expect(await take()).toEqual([]);
    await beat(db, [processId], []);
    const [second] = await take();
    expect(second?.jobId).toBe(jobId);
    await report(db, runner, { executionId: second?.executionId ?? "", status: "in-progress" });
    await passTime(db, "121 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "timed-out",
      execution_count: 2,
      executions: ["timed-out", "timed-out"],
      events: ["enqueue", "release", "claim", "retry", "release", "claim", "expire"],
    });
  });

  test("a retry keeps its place before jobs that came later", async () => {
    const { runner, processId, jobId } = await setup({ maxExecutions: 2 });
    await givenJob(db, runner);
    await passTime(db, "121 s", [processId]);
    await beat(db, [processId], []);
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([jobId]);
  });

  test("tries nothing again for which less than a minute is left", async () => {
    const job = { maxExecutions: 3, overallTimeout: 2 * minuteNs + 59 * secondNs };
    const { processId, jobId } = await setup(job);
    await passTime(db, "121 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "timed-out",
      clock: "execution_timeout",
    });
  });

  test("tries a short job again when its whole timeout fits into what is left", async () => {
    const job = {
      maxExecutions: 3,
      executionTimeout: 10 * secondNs,
      overallTimeout: 25 * secondNs,
    };
    const { processId, jobId } = await setup(job);
    await passTime(db, "11 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({ status: "queued", execution_count: 1 });
  });

  test("an end reported too late is kept as evidence and changes nothing", async () => {
    const { runner, processId, jobId, executionId } = await setup();
    await passTime(db, "121 s", [processId]);
    const outcome = await report(db, runner, {
      executionId,
      status: "finished",
      result: { success: true },
    });
    expect(outcome).toBe("ended");
    expect((await jobState(db, jobId)).status).toBe("timed-out");
    const kept =
      await db`select kind from runner_job_execution_evidence where execution_id = ${executionId}`;
    expect([...kept]).toEqual([{ kind: "status" }]);
  });
});

describe("the overall timeout", () => {
  test("cancels a running job and names the clock", async () => {
    const { processId, jobId } = await setup({ overallTimeout: minuteNs });
    await passTime(db, "61 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
      description: "the overall timeout passed",
      executions: ["cancelled"],
    });
  });

  test.each(["queued", "available"])("cancels a job that is %s", async (status) => {
    const runner = await givenRunner(db);
    const alive = status === "available" ? [await givenProcess(db, runner)] : [];
    const jobId = await givenJob(db, runner, { overallTimeout: 30 * secondNs });
    expect((await jobState(db, jobId)).status).toBe(status);
    await passTime(db, "31 s", alive);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
    });
  });

  test("runs from the enqueue, across attempts", async () => {
    const { processId, jobId, take } = await setup({
      maxExecutions: 9,
      overallTimeout: 5 * minuteNs,
    });
    await passTime(db, "121 s", [processId]);
    await beat(db, [processId], []);
    await take();
    await passTime(db, "180 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
    });
  });
});

describe("clocks that are due together", () => {
  test("the overall timeout comes before the execution timeout", async () => {
    const { processId, jobId } = await setup({ overallTimeout: 2 * minuteNs, maxExecutions: 5 });
    await passTime(db, "121 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
    });
  });

  test("the overall timeout comes before the queue and the available timeout", async () => {
    const runner = await givenRunner(db);
    const overallTimeout = minuteNs;
    const queued = await givenJob(db, runner, { queueTimeout: minuteNs, overallTimeout });
    await passTime(db, "61 s");
    expect((await jobState(db, queued)).events).toEqual(["enqueue", "cancel"]);
  });

  test("the overall timeout comes before the loss of the process, whichever is looked at first", async () => {
    const { jobId } = await setup({ executionTimeout: 9 * minuteNs, overallTimeout: 5 * minuteNs });
    await advanceClock(db, "301 s");
    await sweepAll(db, ["sweep_processes", "sweep_jobs"]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
    });
  });

  test("the execution timeout comes before the loss of the process, whichever is looked at first", async () => {
    const { jobId } = await setup({ executionTimeout: 5 * minuteNs });
    await advanceClock(db, "301 s");
    await sweepAll(db, ["sweep_processes", "sweep_jobs"]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "timed-out",
      clock: "execution_timeout",
    });
  });
});
