import { describe, expect, test } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import { claimByName } from "../../support/broker/claim-by-name.ts";
import { stoppedDatabase } from "../../support/database/stopped-database.ts";
import { passTime } from "../../support/database/sweep-all.ts";
import {
  beat,
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";
import { jobState, jobsOnOffer } from "../../support/rows/job-state.ts";

const { db } = await stoppedDatabase();

const cancel = ({ orgId }: GivenRunner, jobId: string) =>
  db`select outcome from end_jobs(${orgId}, ${[jobId]}, 'cancel', 'an operator asked')`;

/** A job that runs on our own process, and another that waits for its slot. */
async function setup(type: NewJob["type"] = "noop-deploy", more: Partial<NewJob> = {}) {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const job = { type, executionTimeout: 7_200e9, ...more };
  const held = await givenExecution(db, runner, { processId, job });
  await report(db, runner, { executionId: held.executionId, status: "in-progress" });
  const next = await givenJob(db, runner);
  return { runner, processId, held, next, onOffer: () => jobsOnOffer(db, runner.runnerId) };
}

describe("a cancelled execution of ours", () => {
  test("holds its slot while beats name it, and frees it with the first that does not", async () => {
    const { runner, processId, held, next, onOffer } = await setup();
    await cancel(runner, held.jobId);
    expect((await jobState(db, held.jobId)).status).toBe("cancelled");
    await beat(db, [processId], [held]);
    expect(await onOffer()).toEqual([]);
    expect(await claim(db, runner, { processId })).toEqual([]);
    await beat(db, [processId], []);
    expect(await onOffer()).toEqual([next]);
  });

  test("is not confirmed by beats that say nothing of executions", async () => {
    const { runner, processId, held, onOffer } = await setup();
    await cancel(runner, held.jobId);
    await beat(db, [processId]);
    expect(await onOffer()).toEqual([]);
  });

  test("is not confirmed by another process", async () => {
    const { runner, held, onOffer } = await setup();
    const other = await givenProcess(db, runner, { serves: { sync: 1 } });
    await cancel(runner, held.jobId);
    await beat(db, [other], []);
    expect(await onOffer()).toEqual([]);
  });

  test("is confirmed by the process that took it over", async () => {
    const { runner, processId, held, onOffer, next } = await setup();
    await db`update runner_processes set secret_digest = '\\x01' where id = ${processId}`;
    await cancel(runner, held.jobId);
    const { orgId, runnerId } = runner;
    await db`select register_process(${orgId}, ${runnerId}, 'prc_heir', 'install', '1', true, '{"deploy":1}'::jsonb,
                                     null, ${processId}, '\\x01')`;
    expect(await onOffer()).toEqual([]);
    await beat(db, ["prc_heir"], []);
    expect(await onOffer()).toEqual([next]);
  });

  test("is over at once when it was still pending: nothing was begun", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const held = await givenExecution(db, runner, { processId });
    const next = await givenJob(db, runner);
    await cancel(runner, held.jobId);
    expect(await jobState(db, held.jobId)).toMatchObject({ executions: ["cancelled"] });
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([next]);
  });

  test.each([
    { type: "noop-deploy", seconds: 60 },
    { type: "job-deploy", seconds: 60 },
    { type: "terraform-deploy", seconds: 600 },
    { type: "helm-chart-deploy", seconds: 600 },
    { type: "pulumi-deploy", seconds: 600 },
  ] as const)("of $type holds its slot for $seconds s at most", async ({ type, seconds }) => {
    const { runner, processId, held, onOffer, next } = await setup(type);
    await cancel(runner, held.jobId);
    await passTime(db, `${seconds - 1} s`, [processId]);
    expect(await onOffer()).toEqual([]);
    await passTime(db, "2 s", [processId]);
    expect(await onOffer()).toEqual([next]);
  });
});

describe("a cancelled execution of a third-party runner", () => {
  async function foreign(processes = 1) {
    const runner = await givenRunner(db, { groups: ["deploy", "sync"] });
    const ids: string[] = [];
    for (let at = 0; at < processes; at += 1) {
      ids.push(await givenProcess(db, runner, { isOurs: false, serves: null }));
    }
    const held = await claimByName(db, runner, await givenJob(db, runner), ids);
    const next = await givenJob(db, runner);
    await cancel(runner, held.jobId);
    const poll = (group: string | null) => db`select confirm_by_poll(${runner.runnerId}, ${group})`;
    return { runner, ids, next, poll, onOffer: () => jobsOnOffer(db, runner.runnerId) };
  }

  test("holds its slot until its runner's only process polls that group again", async () => {
    const { poll, onOffer, next } = await foreign();
    expect(await onOffer()).toEqual([]);
    await poll("sync");
    expect(await onOffer()).toEqual([]);
    await poll("deploy");
    expect(await onOffer()).toEqual([next]);
  });

  test("is confirmed by a poll of any group", async () => {
    const { poll, onOffer, next } = await foreign();
    await poll(null);
    expect(await onOffer()).toEqual([next]);
  });

  test("is not confirmed by a poll while several processes live: it may be another's", async () => {
    const { poll, onOffer, runner } = await foreign(2);
    await poll("deploy");
    const [row] = await db<{ in_use: number }[]>`
      select in_use from runner_queues where runner_id = ${runner.runnerId} and job_group = 'deploy'`;
    expect(row?.in_use).toBe(1);
    expect(await onOffer()).toEqual([]);
  });

  test("is confirmed when its process has shut down", async () => {
    const { ids, runner } = await foreign();
    await db`select process_goes_down(${ids[0] ?? ""}, 'shut-down', '')`;
    expect([
      ...(await db`select from stopping_executions where runner_id = ${runner.runnerId}`),
    ]).toEqual([]);
  });

  test("that any of two may hold is confirmed when both have shut down", async () => {
    const { ids, runner } = await foreign(2);
    const stopping = () => db`select from stopping_executions where runner_id = ${runner.runnerId}`;
    await db`select process_goes_down(${ids[0] ?? ""}, 'shut-down', '')`;
    expect(await stopping()).toHaveLength(1);
    await db`select process_goes_down(${ids[1] ?? ""}, 'shut-down', '')`;
    expect(await stopping()).toHaveLength(0);
  });
});

test("polls, releases and enqueues together never fill the slot of a stopping execution", async () => {
  const { runner, processId, held, onOffer } = await setup();
  await cancel(runner, held.jobId);
  await givenJob(db, runner);
  await Promise.all([
    claim(db, runner, { processId, want: 3 }),
    passTime(db, "20 s", [processId]),
    db`select refresh_runners(${[runner.runnerId]})`,
  ]);
  expect(await onOffer()).toEqual([]);
});
