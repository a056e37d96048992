import { describe, expect, test } from "vitest";
import { secondNs } from "../../../shared/duration.ts";
import { stoppedDatabase } from "../../support/database/stopped-database.ts";
import { passTime } from "../../support/database/sweep-all.ts";
import {
  claim,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";
import { jobState, jobsOnOffer } from "../../support/rows/job-state.ts";

const { db } = await stoppedDatabase();

const finished = { status: "finished", result: { success: true } };

async function setup() {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  return {
    runner,
    processId,
    take: (want = 1) => claim(db, runner, { processId, want }),
    /** A job that runs and holds the only slot. */
    running: async () => {
      const executionTimeout = 3600 * secondNs;
      const held = await givenExecution(db, runner, {
        processId,
        job: { type: "noop-deploy", executionTimeout },
      });
      await report(db, runner, { executionId: held.executionId, status: "in-progress" });
      return held;
    },
  };
}

describe("the queue timeout", () => {
  test("makes a job available, but no poll is offered it before a slot is free", async () => {
    const { runner, processId, take, running } = await setup();
    const { executionId } = await running();
    const jobId = await givenJob(db, runner, { queueTimeout: 60 * secondNs });
    await passTime(db, "59 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("queued");
    await passTime(db, "2 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({ status: "available", has_slot: false });
    expect(await take(5)).toEqual([]);
    await report(db, runner, { executionId, ...finished });
    expect(await take()).toMatchObject([{ jobId }]);
    expect((await jobState(db, jobId)).events).toEqual(["enqueue", "release", "claim"]);
  });

  test("runs anew from each return to the queue", async () => {
    const { runner, processId, running } = await setup();
    await running();
    const jobId = await givenJob(db, runner, {
      queueTimeout: 60 * secondNs,
      availableTimeout: 10 * secondNs,
    });
    await passTime(db, "61 s", [processId]);
    await passTime(db, "11 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({ status: "queued", withdrawals: 1 });
    await passTime(db, "58 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("queued");
    await passTime(db, "3 s", [processId]);
    expect((await jobState(db, jobId)).events).toEqual([
      "enqueue",
      "release",
      "withdraw",
      "release",
    ]);
  });

  test("releases nothing of a paused runner, and acts when the pause ends", async () => {
    const { runner } = await setup();
    await db`update runners set paused_at = svc_now() where id = ${runner.runnerId}`;
    await db`select refresh_runners(${[runner.runnerId]})`;
    const jobId = await givenJob(db, runner, { queueTimeout: 60 * secondNs });
    await passTime(db, "61 s");
    expect((await jobState(db, jobId)).status).toBe("queued");
    await passTime(db, "60 s");
    const [held] =
      await db`select deadline_at = overall_at as sleeps from runner_job_live where id = ${jobId}`;
    expect(held).toEqual({ sleeps: true });
    await db`update runners set paused_at = null where id = ${runner.runnerId}`;
    await db`select refresh_runners(${[runner.runnerId]})`;
    await passTime(db, "1 ms");
    expect((await jobState(db, jobId)).status).toBe("available"); // at once: its time is over
  });
});

describe("the available timeout", () => {
  test("withdraws a job that nobody took, without counting an attempt", async () => {
    const { runner, processId } = await setup();
    const jobId = await givenJob(db, runner);
    await passTime(db, "59 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("available");
    await passTime(db, "2 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "queued",
      withdrawals: 1,
      execution_count: 0,
    });
  });

  test("lets the next job have the slot at once", async () => {
    const { runner, processId } = await setup();
    const [first = "", second = ""] = await givenJobs(db, runner, [{}, {}]);
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([first]);
    await passTime(db, "61 s", [processId]);
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([second]);
  });

  test("leaves a withdrawn job behind all others, until a poll could take it", async () => {
    const { runner, processId, take } = await setup();
    const [first = "", second = ""] = await givenJobs(db, runner, [{}, {}]);
    await passTime(db, "61 s", [processId]);
    const [claimed] = await take();
    expect(claimed?.jobId).toBe(second);
    await report(db, runner, { executionId: claimed?.executionId ?? "", ...finished });
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([]);
    expect(await take()).toMatchObject([{ jobId: first }]);
  });

  test("puts whoever was withdrawn more often further back", async () => {
    const { runner, processId, take } = await setup();
    const jobId = await givenJob(db, runner);
    await passTime(db, "61 s", [processId]);
    await db`select offer_jobs(array[0], ${[runner.runnerId]}, array[null::text])`; // a poll that does not claim
    await passTime(db, "61 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({ status: "queued", withdrawals: 2 });
    const later = await givenJob(db, runner);
    await passTime(db, "61 s", [processId]);
    expect(await jobState(db, later)).toMatchObject({ status: "queued", withdrawals: 1 });
    expect(await take()).toMatchObject([{ jobId: later }]);
  });

  test("a withdrawn job does not keep a new one waiting", async () => {
    const { runner, processId } = await setup();
    await givenJob(db, runner);
    await passTime(db, "61 s", [processId]);
    const next = await givenJob(db, runner);
    expect((await jobState(db, next)).status).toBe("available");
  });

  test("jobs that nobody takes cost two writes a slot and available timeout", async () => {
    const { runner, processId } = await setup();
    await givenJobs(
      db,
      runner,
      Array.from({ length: 5 }, () => ({})),
    );
    for (let round = 1; round <= 7; round += 1) {
      await passTime(db, "61 s", [processId]);
      const [row] = await db<{ n: number }[]>`
        select count(*) as n from runner_job_events where runner_id = ${runner.runnerId} and event <> 'enqueue'`;
      const released = Math.min(5, 1 + round);
      expect(row?.n).toBe(released + Math.min(5, round));
    }
  });
});
