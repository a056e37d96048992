import { afterEach, describe, expect, test } from "vitest";
import { secondNs } from "../../../shared/duration.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { passTime } from "../../support/database/sweep-all.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { jobState, jobsOnOffer } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });
afterEach(async () => {
  await expectSoundQueues(db);
});

/** A third-party runner: its processes serve what their types say, and name none when they claim. */
async function givenThirdParty() {
  const runner = await givenRunner(db);
  const { orgId, runnerId } = runner;
  const token = await givenToken(db, { orgId, runnerId });
  const process = (type: string, serves: Record<string, number>) =>
    givenProcess(db, runner, { isOurs: false, type, serves });
  return {
    runner,
    install: () => process("install", { sync: 1, deploy: 1 }),
    build: () => process("build", { sync: 1, build: 1 }),
    mng: () => process("mng", { management: 1 }),
    /** Takes a job by name and begins it, unless told. */
    take: async (jobId: string, begins = true): Promise<string> => {
      const path = `/v1/runner-jobs/${jobId}/executions`;
      const { status, body } = await call<{ id: string }>(`POST ${path}`, { token, body: {} });
      expect(status).toBe(201);
      if (begins)
        await call(`PATCH ${path}/${body.id}`, { token, body: { status: "in-progress" } });
      return body.id;
    },
    shutDown: (processId: string) =>
      call(`PATCH /v1/runners/${runnerId}/processes/${processId}`, {
        token,
        body: { status: "shut-down" },
      }),
    finish: (jobId: string, executionId: string) =>
      call(`PATCH /v1/runner-jobs/${jobId}/executions/${executionId}`, {
        token,
        body: { status: "finished" },
      }),
  };
}

describe("a job that a third-party runner took by name", () => {
  test("of the management group is its mng process's, whatever becomes of the others", async () => {
    const { runner, mng, install, take, shutDown, finish } = await givenThirdParty();
    const [other] = [await install(), await mng()];
    const jobId = await givenJob(db, runner, { type: "mng-runner-restart" });
    const executionId = await take(jobId);
    expect((await shutDown(other)).status).toBe(200);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    expect((await finish(jobId, executionId)).status).toBe(200);
    expect((await jobState(db, jobId)).status).toBe("finished");
  });

  test("is lost with the mng process that took it, though there is no other", async () => {
    const { runner, mng, take, shutDown } = await givenThirdParty();
    const manager = await mng();
    const jobId = await givenJob(db, runner, { type: "mng-runner-restart" });
    await take(jobId);
    await shutDown(manager);
    expect((await jobState(db, jobId)).status).toBe("failed");
  });

  test("is lost with the only process that serves its group", async () => {
    const { runner, install, build, take, shutDown } = await givenThirdParty();
    const [serving] = [await install(), await build()];
    const jobId = await givenJob(db, runner);
    await take(jobId);
    await shutDown(serving);
    expect((await jobState(db, jobId)).status).toBe("failed");
  });

  test("has stopped when the only process that serves its group polls that group again", async () => {
    const { runner, install, build, take } = await givenThirdParty();
    await install();
    await build();
    const [jobId, next] = [await givenJob(db, runner), await givenJob(db, runner)];
    await take(jobId);
    await db`select end_jobs(${runner.orgId}, ${[jobId]}, 'cancel', 'an operator asked')`;
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([]);
    await db`select confirm_by_poll(${runner.runnerId}, 'build')`;
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([]);
    await db`select confirm_by_poll(${runner.runnerId}, 'deploy')`;
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([next]);
  });

  test("comes back unconfirmed after beats of who serves its group, not of others", async () => {
    const { runner, install, build, take } = await givenThirdParty();
    const [serving, other] = [await install(), await build()];
    const jobId = await givenJob(db, runner, { executionTimeout: 3600 * secondNs });
    await take(jobId, false);
    await passTime(db, "20 s", [other]);
    await passTime(db, "20 s", [other]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "6 s", [serving, other]);
    await passTime(db, "6 s", [serving, other]);
    await passTime(db, "6 s", [serving, other]);
    expect((await jobState(db, jobId)).status).toBe("available");
  });
});
