import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { claimByName } from "../../support/broker/claim-by-name.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { parkedOf } from "../../support/broker/given-polling.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { type TestDatabase, testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  beat,
  type GivenRunner,
  givenJob,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";

let db: TestDatabase["db"];
beforeAll(async () => {
  ({ db } = await testDatabase());
  await stopClock(db);
});

const third = { isOurs: false, serves: null } as const;
const offline = "61 s";
const cancel = ({ orgId }: GivenRunner, jobId: string) =>
  db`select outcome from end_jobs(${orgId}, ${[jobId]}, 'cancel', 'an operator asked')`;
const isStopping = async ({ runnerId }: GivenRunner) =>
  (await db`select from stopping_executions where runner_id = ${runnerId}`).length > 0;
const poll = ({ runnerId }: GivenRunner, group: string | null = "deploy") =>
  db`select confirm_by_polls(${runnerId}, array[${group}::text], array[null::timestamptz])`;
const terminate = (processId: string) => db`select process_terminating(${processId})`;
const sweep = () => db`select sweep_processes(100)`;

/** A third-party runner's job that was cancelled under way, and the processes that may hold it. */
async function setup(holders = 1) {
  const runner = await givenRunner(db, { groups: ["deploy", "sync"] });
  const ids: string[] = [];
  while (ids.length < holders) ids.push(await givenProcess(db, runner, third));
  const held = await claimByName(db, runner, await givenJob(db, runner), ids);
  await cancel(runner, held.jobId);
  const start = () => givenProcess(db, runner, third);
  return { runner, ids, old: ids[0] ?? "", held, start };
}

describe("a poll of a restarted third-party runner", () => {
  test("confirms for its predecessor once that is offline, not before", async () => {
    const { runner, start, old } = await setup();
    await advanceClock(db, "5 s");
    const heir = await start();
    await poll(runner);
    expect(await isStopping(runner)).toBe(true);
    await advanceClock(db, "56 s");
    await beat(db, [heir]);
    await sweep();
    await poll(runner, "sync");
    expect(await isStopping(runner)).toBe(true);
    await poll(runner);
    expect(await isStopping(runner)).toBe(false);
    expect(await db`select status from runner_processes where id = ${old}`).toMatchObject([
      { status: "offline" },
    ]);
  });

  test("confirms for its predecessor once its host said that it goes away", async () => {
    const { runner, start, old } = await setup();
    await terminate(old);
    await advanceClock(db, "1 s");
    await beat(db, [old]); // it is on its way out
    await start();
    await poll(runner);
    expect(await isStopping(runner)).toBe(false);
  });

  test("confirms what either may hold, once the other is offline", async () => {
    const { runner, ids } = await setup(2);
    const [old = "", heir = ""] = ids;
    await db`update runner_processes set created_at = created_at + interval '1 s' where id = ${heir}`;
    await poll(runner);
    expect(await isStopping(runner)).toBe(true);
    await advanceClock(db, offline);
    await beat(db, [heir]);
    await sweep();
    expect(await db`select status from runner_processes where id = ${old}`).toMatchObject([
      { status: "offline" },
    ]);
    await poll(runner);
    expect(await isStopping(runner)).toBe(false);
  });

  test("does not confirm for one that fell silent beside it: that one may be cut off and still at it", async () => {
    const runner = await givenRunner(db, { groups: ["deploy"] });
    const [old, beside] = [
      await givenProcess(db, runner, third),
      await givenProcess(db, runner, third),
    ];
    const held = await claimByName(db, runner, await givenJob(db, runner), [old]);
    await advanceClock(db, "5 s");
    await beat(db, [old, beside]);
    await cancel(runner, held.jobId);
    await advanceClock(db, offline);
    await beat(db, [beside]);
    await sweep();
    await poll(runner);
    expect(await isStopping(runner)).toBe(true);
  });

  test("does not confirm for one whose host said so after it was started, nor while a third lives", async () => {
    const late = await setup();
    await late.start();
    await advanceClock(db, "1 s");
    await terminate(late.old);
    await poll(late.runner);
    expect(await isStopping(late.runner)).toBe(true);

    const crowded = await setup();
    await terminate(crowded.old);
    await advanceClock(db, "1 s");
    await crowded.start();
    await crowded.start();
    await poll(crowded.runner);
    expect(await isStopping(crowded.runner)).toBe(true);
  });
});

describe("a parked poll of a third-party runner", () => {
  let at: GivenOperator;
  beforeAll(async () => {
    at = await givenOperator();
  });

  test("confirms a stop that came after it: the next job is offered to that very poll", async () => {
    const runner = await givenRunner(at.db, { orgId: at.orgId });
    await givenProcess(at.db, runner, third);
    await at.db`update runner_processes set serves = '{"deploy":1}' where runner_id = ${runner.runnerId}`;
    await at.db`select refresh_runners(${[runner.runnerId]})`;
    const token = await givenToken(at.db, runner);
    const jobId = await givenJob(at.db, runner);
    const path = `/v1/runner-jobs/${jobId}/executions`;
    expect((await at.call(`POST ${path}`, { token, body: "null\n" })).status).toBe(201);
    const tail = `GET /v1/runners/${runner.runnerId}/jobs/tail?group=deploy&wait=25s`;
    const parked = at.call<RunnerJob[]>(tail, { token });
    await parkedOf(at.broker, runner.runnerId, 1);
    await at.call(`POST /v1/runner-jobs/${jobId}/cancel`);
    const next = await givenJob(at.db, runner);
    expect((await parked).body.map(({ id }) => id)).toEqual([next]); // empty when its wait is over
  });

  test("confirms nothing that was claimed after it came", async () => {
    const { runner, held } = await setup();
    const { runnerId } = runner;
    const [row] = await db<{ at: string }[]>`
      select created_at::text as at from runner_job_executions where id = ${held.executionId}`;
    const parkedFor = (offset: string) =>
      db`select confirm_by_polls(${runnerId}, '{deploy}', array[${row?.at ?? ""}::timestamptz + ${offset}::interval])`;
    for (const offset of ["-1 s", "0 s"]) {
      await parkedFor(offset);
      expect(await isStopping(runner)).toBe(true);
    }
    await parkedFor("1 ms");
    expect(await isStopping(runner)).toBe(false);
  });
});
