import { describe, expect, test } from "vitest";
import { whyWaiting } from "../../../broker/jobs/why-waiting.ts";
import { noteNoJobs } from "../../../broker/processes/leave-process.ts";
import { type Waiting, waitingCodes } from "../../../shared/api/why-waiting.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  beat,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const { db } = await testDatabase();
await stopClock(db);
const told = new Set<string>();

async function why({ orgId }: GivenRunner, jobId: string): Promise<Waiting> {
  const waiting = await whyWaiting(db, orgId, jobId);
  if (waiting === null) throw new Error("the job waits no more");
  for (const { code } of waiting.reasons) told.add(code);
  return waiting;
}

const refresh = ({ runnerId }: GivenRunner) => db`select refresh_runners(${[runnerId]})`;
const words = ({ reasons }: Waiting) => reasons.map(({ code, detail }) => `${code}: ${detail}`);

describe("a waiting job says", () => {
  test("that its runner never had a process", async () => {
    const runner = await givenRunner(db);
    const jobId = await givenJob(db, runner);
    expect(await why(runner, jobId)).toEqual({
      reasons: [{ code: "no-process", detail: `runner ${runner.runnerId} never had a process` }],
      position: 1,
    });
  });

  test("that no process is alive, and since when", async () => {
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    await advanceClock(db, "7 minutes");
    await db`select sweep_processes(10)`;
    const jobId = await givenJob(db, runner);
    expect(words(await why(runner, jobId))).toEqual([
      `no-process: no process of runner ${runner.runnerId} is alive (last beat 7 min ago)`,
    ]);
  });

  test("that the live processes serve other groups", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner, { serves: { sync: 1, build: 2 } });
    const jobId = await givenJob(db, runner, { type: "sandbox-terraform" });
    expect(await why(runner, jobId)).toMatchObject({
      reasons: [
        {
          code: "group-not-served",
          detail: "no live process serves group sandbox (served: 'build', 'sync')",
          process_ids: [processId],
        },
      ],
    });
  });

  test("that its agent is being updated", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner, { type: "mng", serves: { management: 1 } });
    const job = { type: "mng-runner-update-version", metadata: { version: "1.3.0" } } as const;
    const { jobId: id } = await givenExecution(db, runner, { processId, job });
    const [first] = words(await why(runner, await givenJob(db, runner)));
    expect(first).toContain(`is being updated to 1.3.0 (job ${id}, running 0 s)`);
  });

  test("that all processes are shutting down", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await db`update runner_processes set draining = 'graceful' where id = ${processId}`;
    await refresh(runner);
    const jobId = await givenJob(db, runner);
    expect(words(await why(runner, jobId))).toEqual([
      `processes-draining: all processes of runner ${runner.runnerId} are shutting down`,
    ]);
  });

  test("that all who could take it take none at present, and why", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    const note = (why: string) => noteNoJobs({ db }, { ...runner, processId }, why);
    await note("disk is full: /data has 120 MiB free");
    expect(words(await why(runner, jobId))[0]).toBe(
      `process-takes-none: process ${processId} takes no jobs: disk is full: /data has 120 MiB free`,
    );
    const other = await givenProcess(db, runner);
    expect(words(await why(runner, jobId)).join()).not.toContain("process-takes-none");
    await noteNoJobs({ db }, { ...runner, processId: other }, "it is tired");
    await note("");
    expect(words(await why(runner, jobId)).join()).not.toContain("process-takes-none");
  });

  test("that its agent was given up on and has to register anew", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await advanceClock(db, "301 s");
    await db`select sweep_processes(10)`;
    await beat(db, [processId]);
    const jobId = await givenJob(db, runner);
    expect(await why(runner, jobId)).toMatchObject({
      reasons: [{ code: "process-not-registered", process_ids: [processId] }],
    });
    const [{ status, status_description: text } = {}] = await db`
      select status, status_description from runners where id = ${runner.runnerId}`;
    expect([status, text]).toEqual(["offline", "its last live process has to register anew"]);
  });

  test("that the settings allow its group nothing", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 0 } });
    await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    expect(words(await why(runner, jobId))).toEqual([
      "parallelism-zero: the settings allow group deploy no job at a time",
    ]);
  });

  test("which jobs have the slots, for how long, and how many are ahead of it", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const running = await givenExecution(db, runner, {
      processId,
      job: { executionTimeout: 3600e9 },
    });
    await report(db, runner, { ...running, status: "in-progress" });
    const [next, last] = await givenJobs(db, runner, [{}, {}]);
    await advanceClock(db, "12 minutes");
    const full = `group-full: group deploy is full: 1 of 1 in use (job ${running.jobId}, running 12 min)`;
    expect(words(await why(runner, next ?? ""))).toEqual([full]);
    const waiting = await why(runner, last ?? "");
    expect(words(waiting)).toEqual([full, "behind-others: 1 job is ahead of it in the queue"]);
    expect(waiting).toMatchObject({ position: 2, reasons: [{ job_ids: [running.jobId] }, {}] });
  });

  test("what is still stopping in its slot, and how long at most", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const job = { type: "terraform-deploy" } as const;
    const running = await givenExecution(db, runner, { processId, job });
    await report(db, runner, { ...running, status: "in-progress" });
    await db`select * from end_jobs(${runner.orgId}, ${[running.jobId]}, 'cancel', '')`;
    const jobId = await givenJob(db, runner);
    await advanceClock(db, "9 minutes 20 seconds");
    expect(words(await why(runner, jobId))).toEqual([
      "group-full: group deploy is full: 1 of 1 in use",
      "still-stopping: a cancelled terraform-deploy is still stopping, 40 s left",
    ]);
  });

  test("that the attempt before it may still be running", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    const processId = await givenProcess(db, runner, { serves: { deploy: 2 } });
    const job = { type: "helm-chart-deploy", maxExecutions: 2 } as const;
    const { jobId, executionId } = await givenExecution(db, runner, { processId, job });
    await report(db, runner, { executionId, status: "in-progress" });
    await db`select end_executions(${[processId]}, 'lost', 'process lost', false)`;
    const [first, ...more] = words(await why(runner, jobId));
    expect(first).toBe(
      `predecessor-stopping: the attempt before it (${executionId}) may still be running, 40 min left`,
    );
    expect(more).toEqual([]);
  });

  test.each(["runner", "group"] as const)("who paused its %s, until when and why", async (what) => {
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    const pause = {
      paused_note: "freeze",
      paused_by_id: "acc_1",
      paused_until: "2126-01-02T03:04:05Z",
    };
    const table = what === "runner" ? db("runners") : db("runner_groups");
    const id = what === "runner" ? runner.runnerId : runner.groupId;
    await db`update ${table} set ${db(pause)}, paused_at = svc_now() where id = ${id}`;
    await refresh(runner);
    const name = `${what === "group" ? "the runner group of " : ""}runner ${runner.runnerId}`;
    expect(await why(runner, jobId)).toMatchObject({
      reasons: [
        {
          code: `${what}-paused`,
          detail: `${name} is paused by acc_1 until 2126-01-02T03:04:05.000Z: freeze`,
          until: "2126-01-02T03:04:05.000Z",
        },
      ],
    });
  });

  test.each(["disabled", "deprovisioned"])("that its runner is %s", async (lifecycle) => {
    const runner = await givenRunner(db);
    const jobId = await givenJob(db, runner);
    await db`update runners set lifecycle = ${lifecycle} where id = ${runner.runnerId}`;
    await refresh(runner);
    expect(words(await why(runner, jobId))).toEqual([
      `runner-${lifecycle}: runner ${runner.runnerId} is ${lifecycle}`,
    ]);
  });

  test("that nobody took it in time", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    await advanceClock(db, "55 seconds");
    await beat(db, [processId]);
    await advanceClock(db, "10 seconds");
    await db`select sweep_jobs(100)`;
    expect(words(await why(runner, jobId))).toEqual([
      "withdrawn: it was offered once and no process took it within 60 s: it waits until a process asks for group deploy",
    ]);
  });

  test("that it is on offer, and that it will be available at once", async () => {
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    const jobId = await givenJob(db, runner);
    expect(words(await why(runner, jobId))).toEqual([
      "on-offer: group deploy has a slot for it: a process can take it, 60 s left",
    ]);
    // A wake-up that was lost between a freed slot and the release of the next job.
    await db`update runner_job_live set status = 'queued', has_slot = false where id = ${jobId}`;
    await db`update runner_queues set in_use = 0, waiting = 1 where runner_id = ${runner.runnerId}`;
    expect(words(await why(runner, jobId))).toEqual([
      "due-for-release: a slot is free in group deploy: it will be available at once",
    ]);
  });

  test("nothing once it waits no more", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { jobId } = await givenExecution(db, runner, { processId });
    expect(await whyWaiting(db, runner.orgId, jobId)).toBeNull();
    const other = await givenRunner(db);
    const queued = await givenJob(db, runner);
    expect(await whyWaiting(db, other.orgId, queued)).toBeNull();
  });
});

test("every reason there is was told here", () => {
  expect([...told].sort()).toEqual([...waitingCodes].sort());
});
