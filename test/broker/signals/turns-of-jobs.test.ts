import { afterEach, describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { givenQueue, signalStatus } from "../../support/queues/given-signals.ts";
import { givenTurn } from "../../support/queues/given-turns.ts";
import { jobTurns } from "../../support/queues/job-turns.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
const { broker } = await startBroker({ url });
const { seals } = broker;
const { ended, awaited, jobsOf, takes, finishes } = jobTurns(db, seals);

afterEach(async () => {
  await expectSoundSignals(db);
  await expectSoundQueues(db);
});

async function setup(members: Readonly<Record<string, unknown>> = {}, job: object = {}) {
  const serves = { deploy: 2 }; // an execution that ran out of time keeps its slot for a while
  const runner = await givenRunner(db, { parallelism: serves });
  const processId = await givenProcess(db, runner, { serves });
  const queue = await givenQueue(db, { orgId: runner.orgId });
  const contents = { runner_id: runner.runnerId, type: "noop-deploy", ...job };
  const id = await givenTurn(db, seals, { queue, type: "runner-job", contents, members });
  return { runner, processId, queue, id };
}

async function retried(id: string): Promise<void> {
  await expect.poll(() => signalStatus(db, id)).toBe("retrying");
  await advanceClock(db, "2 s");
}

describe("a signal that is a runner job", () => {
  test("is in flight, without a clock, until the job is finished, and brings plan and metadata as they were filed", async () => {
    const plan = { number: 1.5, text: "ü" };
    const given = await setup({}, { plan, metadata: { a: "b" } });
    const jobId = await awaited(given.id);
    await advanceClock(db, "20 s");
    expect(await signalStatus(db, given.id)).toBe("in-flight");
    const claimed = await takes(given);
    expect(claimed.jobId).toBe(jobId);
    const [facts] = await db`select metadata, created_by_id from runner_jobs where id = ${jobId}`;
    expect(facts).toEqual({ metadata: { a: "b", signal_id: given.id }, created_by_id: "acc_1" });
    await finishes(given.runner, claimed.executionId);
    expect(await ended(given.id)).toMatchObject({
      status: "finished",
      executions: 1,
      result: { job_id: jobId, status: "finished" },
    });
  });

  test("is finished when the job is enqueued, if it waits for no more", async () => {
    const { id, runner } = await setup({}, { wait_for: "enqueue" });
    const end = await ended(id);
    const [jobId] = await jobsOf(runner);
    expect(end).toMatchObject({ status: "finished", result: { job_id: jobId } });
    expect((await jobState(db, jobId ?? "")).status).toBe("available");
  });

  test("fails with a job that failed, and its retry is another job", async () => {
    const given = await setup({ max_executions: 2 });
    const first = await awaited(given.id).then(() => takes(given));
    await report(db, given.runner, {
      executionId: first.executionId,
      status: "failed",
      description: "it broke",
    });
    await expect.poll(() => signalStatus(db, given.id)).toBe("retrying");
    await advanceClock(db, "2 s");
    await expect.poll(async () => (await jobsOf(given.runner)).length).toBe(2);
    const second = await awaited(given.id).then(() => takes(given));
    expect(second.jobId).not.toBe(first.jobId);
    await report(db, given.runner, { executionId: second.executionId, status: "failed" });
    expect(await ended(given.id)).toMatchObject({ status: "dead", executions: 2 });
  });

  test.each([
    ["cancelled by somebody", "cancelled", 1],
    ["flushed", "not-attempted", 1],
    ["ended by its overall timeout", "cancelled", 2],
    ["ended by its execution timeout", "timed-out", 2],
  ])("ends when the job is %s", async (how, status, executions) => {
    const given = await setup(
      { max_executions: 2 },
      { overall_timeout: "2m", execution_timeout: "30s" },
    );
    const end = async (): Promise<void> => {
      const jobId = await awaited(given.id);
      if (how === "flushed") {
        await db`select flush_queues(${given.runner.orgId}, ${given.runner.runnerId}, null, false, 'flushed')`;
      } else if (how === "cancelled by somebody") {
        await db`select end_jobs(${given.runner.orgId}, ${[jobId]}, 'cancel', 'by somebody')`;
      } else if (how === "ended by its overall timeout") {
        await advanceClock(db, "121 s");
      } else {
        await takes(given);
        await advanceClock(db, "31 s");
      }
    };
    await end();
    if (executions === 2) {
      await retried(given.id);
      await end();
    }
    const end2 = await ended(given.id);
    expect(end2).toMatchObject({ status: "dead", executions, result: { status } });
    expect(end2?.description).toContain(status);
  });

  test("takes its job along when it is cancelled", async () => {
    const given = await setup();
    const jobId = await awaited(given.id);
    await db`select cancel_signals(${given.runner.orgId}, ${[given.id]}, 'not needed')`;
    await expect.poll(async () => (await jobState(db, jobId)).status).toBe("cancelled");
  });

  test("is dead at once for a runner that does not exist, and tried again for one that is disabled", async () => {
    const gone = await setup({}, { runner_id: `run_${"0".repeat(26)}` });
    expect(await ended(gone.id)).toMatchObject({ status: "dead", executions: 1 });
    const runner = await givenRunner(db);
    await db`update runners set lifecycle = 'disabled' where id = ${runner.runnerId}`;
    const queue = await givenQueue(db, { orgId: runner.orgId });
    const contents = { runner_id: runner.runnerId, type: "noop-deploy" };
    const id = await givenTurn(db, seals, { queue, type: "runner-job", contents });
    await expect.poll(() => signalStatus(db, id)).toBe("retrying");
  });

  test("ends, when the task of its job's end was lost, by a sweep", async () => {
    const given = await setup();
    const jobId = await awaited(given.id);
    await db`
      with lost as (update queue_signal_live set awaits_job = null where id = ${given.id})
      select 1`;
    await db`select end_jobs(${given.runner.orgId}, ${[jobId]}, 'cancel', 'by somebody')`;
    await expect
      .poll(
        async () =>
          await db`
        select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier = 'end-signal-of-job'`,
      )
      .toEqual([]);
    await db`update queue_signal_live set awaits_job = ${jobId} where id = ${given.id}`;
    expect(await signalStatus(db, given.id)).toBe("in-flight");
    await db`select sweep_awaited_jobs(100)`;
    expect(await ended(given.id)).toMatchObject({ status: "dead" });
  });
});

test("jobs that belong to no signal add no task", async () => {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const { executionId } = await givenExecution(db, runner, { processId });
  await report(db, runner, { executionId, status: "in-progress" });
  await report(db, runner, { executionId, status: "finished", result: { success: true } });
  const tasks = await db`
    select 1 from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'end-signal-of-job'`;
  expect(tasks).toEqual([]);
});
