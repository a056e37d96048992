import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { secondNs } from "../../../shared/duration.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { passTime, passTimeUnheard, sweepAll } from "../../support/database/sweep-all.ts";
import {
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

let db: Db;
beforeEach(async () => {
  ({ db } = await testDatabase());
  await stopClock(db);
});
afterEach(async () => {
  await expectSoundQueues(db);
});

async function setup() {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const job = { type: "noop-deploy", executionTimeout: 600 * secondNs } as const;
  const held = await givenExecution(db, runner, { processId, job });
  const statusOf = async (): Promise<string | undefined> => {
    const [row] = await db<
      { status: string }[]
    >`select status from runner_processes where id = ${processId}`;
    return row?.status;
  };
  return { runner, processId, ...held, statusOf };
}

describe("while no broker ran", () => {
  test("no process fell silent: its minute and its five begin when somebody listens again", async () => {
    const { statusOf, runner, executionId, jobId } = await setup();
    await report(db, runner, { executionId, status: "in-progress" });
    await passTimeUnheard(db, "7 min");
    await sweepAll(db);
    expect(await statusOf()).toBe("active");
    await passTime(db, "59 s");
    expect(await statusOf()).toBe("active");
    await passTime(db, "2 s");
    expect(await statusOf()).toBe("offline");
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "4 min");
    expect(await statusOf()).toBe("inactive");
  });

  test("nobody failed to confirm a job: the 30 s begin when somebody listens again", async () => {
    const { jobId, processId } = await setup();
    await passTimeUnheard(db, "2 min");
    await sweepAll(db);
    await passTime(db, "29 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "6 s", [processId]);
    expect((await jobState(db, jobId)).events).toContain("return");
  });

  test("an execution deadline that passed is acted on 60 s after listening resumed", async () => {
    const { jobId, runner, executionId, processId } = await setup();
    await report(db, runner, { executionId, status: "in-progress" });
    await passTimeUnheard(db, "11 min");
    await sweepAll(db);
    await passTime(db, "59 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "timed-out",
      clock: "execution_timeout",
    });
  });

  test("a result that its process kept arrives in those 60 s and counts", async () => {
    const { jobId, runner, executionId, processId } = await setup();
    await report(db, runner, { executionId, status: "in-progress" });
    await passTimeUnheard(db, "11 min");
    await sweepAll(db);
    await passTime(db, "30 s", [processId]);
    expect(
      await report(db, runner, { executionId, status: "finished", result: { success: true } }),
    ).toBe("ok");
    expect((await jobState(db, jobId)).status).toBe("finished");
  });

  test("an execution deadline that passes after the gap is acted on at once", async () => {
    const { jobId, runner, executionId, processId } = await setup();
    await report(db, runner, { executionId, status: "in-progress" });
    await passTimeUnheard(db, "9 min");
    await sweepAll(db);
    await passTime(db, "61 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("timed-out");
  });

  test("the overall timeout of a job went on", async () => {
    const runner = await givenRunner(db);
    const jobId = await givenJob(db, runner, { overallTimeout: 300 * secondNs });
    await passTimeUnheard(db, "6 min");
    await sweepAll(db);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "cancelled",
      clock: "overall_timeout",
    });
  });
});

test("15 s without a listening mark are no gap", async () => {
  const { jobId, runner, executionId } = await setup();
  await report(db, runner, { executionId, status: "in-progress" });
  await advanceClock(db, "590 s");
  await passTimeUnheard(db, "14 s");
  await sweepAll(db, ["sweep_jobs"]);
  expect((await jobState(db, jobId)).status).toBe("timed-out");
});

test("brokers that resume together find one gap, not two", async () => {
  await passTimeUnheard(db, "5 min");
  const before = await db<
    { gap_from: Date; marked_at: Date }[]
  >`select marked_at from broker_listening`;
  await Promise.all(Array.from({ length: 6 }, () => db`select mark_listening()`));
  const [after] = await db<{ gap_from: Date }[]>`select gap_from from broker_listening`;
  expect(after?.gap_from).toEqual(before[0]?.marked_at);
});
