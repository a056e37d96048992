import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";
import {
  type GivenExecution,
  type GivenRunner,
  claim,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

let db: Db;
let runner: GivenRunner;
let execution: GivenExecution;

beforeAll(async () => {
  ({ db } = await testDatabase());
});

afterEach(() => expectSoundQueues(db));

/** Holds the answer to a first report just before its commit, while something else wants to end the execution. */
async function reportDuring(act: () => PromiseLike<unknown>): Promise<string> {
  runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  execution = await givenExecution(db, runner, { processId });
  const reporting = await db.reserve();
  await reporting`begin`;
  const batch = [
    {
      n: 0,
      org_id: runner.orgId,
      runner_id: runner.runnerId,
      execution_id: execution.executionId,
      status: "in-progress",
    },
  ];
  const [answer] = await reporting<{ outcome: string }[]>`
    select outcome from take_reports(${JSON.stringify(batch)}::text::json)`;
  const acting = Promise.resolve(act()); // sent now, answered after the commit
  await untilOneWaits(db);
  await reporting`commit`;
  reporting.release();
  await acting;
  return answer?.outcome ?? "no answer";
}

async function stoppingReasons(): Promise<string[]> {
  const rows = await db<{ reason: string }[]>`
    select reason from stopping_executions where execution_id = ${execution.executionId}`;
  return rows.map(({ reason }) => reason);
}

describe("a first report that is answered while somebody ends the execution", () => {
  it("is believed by a cancel: what may run now keeps its slot until it has stopped", async () => {
    const outcome = await reportDuring(
      () => db`select * from end_jobs(${runner.orgId}, ${[execution.jobId]}, 'cancel', 'asked')`,
    );
    expect(outcome).toBe("ok");
    expect(await stoppingReasons()).toEqual(["cancelled"]);
  });

  it("is believed by a flush", async () => {
    await reportDuring(
      () => db`select * from flush_queues(${runner.orgId}, ${runner.runnerId}, null, true, 'gone')`,
    );
    expect(await stoppingReasons()).toEqual(["cancelled"]);
  });

  it("is believed by the clock of what was never confirmed: nobody gets the job a second time", async () => {
    const outcome = await reportDuring(async () => {
      await advanceClock(db, "31 seconds");
      return db`select sweep_jobs(100)`;
    });
    expect(outcome).toBe("ok");
    const [live] = await db<{ status: string; execution_id: string }[]>`
      select status, execution_id from runner_job_live where id = ${execution.jobId}`;
    expect(live).toEqual({ status: "in-progress", execution_id: execution.executionId });
  });
});

it("goes on with a job that was claimed while its queue was flushed of what waits", async () => {
  runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const jobId = await givenJob(db, runner);
  const claiming = await db.reserve();
  await claiming`begin`;
  await claim(claiming, runner, { processId });
  const flushing = Promise.resolve(
    db`select * from flush_queues(${runner.orgId}, ${runner.runnerId}, null, false, 'gone')`,
  );
  await untilOneWaits(db);
  await claiming`commit`;
  claiming.release();
  expect(await flushing).toEqual([]);
  expect((await jobState(db, jobId)).status).toBe("in-progress");
});
