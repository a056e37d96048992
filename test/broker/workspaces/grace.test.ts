import { expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  backendPath,
  givenStateJob,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

/** A job that holds its workspace. */
async function setup(job: object = {}) {
  const at = await givenOperator();
  const id = await givenWorkspace(at);
  const given = await givenStateJob(at, id, { job });
  const lock = terraformLock();
  const own = { token: given.token };
  await at.call(`POST /v1/terraform-workspaces/${id}/lock`, { ...own, body: lock });
  let serial = 0;
  /** Saves under the lock; answers the status. */
  const save = async (token = given.token, query = ""): Promise<number> => {
    const body = stateText({ serial: ++serial });
    return (await at.call(`POST ${backendPath(id, lock.ID)}${query}`, { token, body })).status;
  };
  const unlock = async (): Promise<number> =>
    (await at.call(`POST /v1/terraform-workspaces/${id}/unlock`, { ...own, body: lock })).status;
  const read = () => at.call<RunnerJob>(`GET /v1/runner-jobs/${given.jobId}`);
  return { at, id, ...given, save, unlock, read };
}

test("an execution that ended saves and unlocks, however many jobs came after it", async () => {
  const { at, runnerId, runnerToken, jobId, executionId, save, unlock } = await setup();
  await at.call(`PATCH /v1/runner-jobs/${jobId}/executions/${executionId}`, {
    token: runnerToken,
    body: { status: "failed" },
  });
  const jobs = Array.from({ length: 100 }, () => ({ type: "noop", operation: "exec" }));
  for (let i = 0; i < 3; i++) {
    await at.call(`POST /v1/runners/${runnerId}/jobs/batch`, { body: { jobs } });
  }
  expect(await save()).toBe(200);
  expect(await save(runnerToken)).toBe(200);
  expect(await save(runnerToken, `&job_id=${jobId}`)).toBe(200);
  expect(await unlock()).toBe(200);
});

test("an execution whose job is tried again saves and unlocks, also when it was seen to be gone", async () => {
  const given = await setup({ max_executions: 2 });
  const { at, runnerId, runnerToken, processId, save, unlock, read } = given;
  const first = async () => (await read()).body.executions?.[0]?.status;
  await at.call(`PATCH /v1/runner-jobs/${given.jobId}/executions/${given.executionId}`, {
    token: runnerToken,
    body: { status: "in-progress" },
  });
  await advanceClock(at.db, "60 minutes 5 seconds");
  await expect.poll(first).not.toBe("in-progress");
  expect(await save()).toBe(200);
  const body = {
    alive_time: 1e9,
    version: "1",
    process: "install",
    process_id: processId,
    executions: [],
  };
  await at.call(`POST /v1/runners/${runnerId}/heart-beats`, { token: runnerToken, body });
  const stopping = () => at.db`select from stopping_executions`;
  await expect.poll(async () => (await stopping()).length).toBe(0);
  expect((await read()).body.status).not.toBe("timed-out");
  expect(await save()).toBe(200);
  expect(await save(runnerToken)).toBe(200);
  expect(await unlock()).toBe(200);
});

test("a job that was enqueued by a broker of the version before is reached by looking into its plan", async () => {
  const { at, jobId, runnerToken, save, unlock } = await setup();
  await at.db`update runner_job_plans set names = null where runner_job_id = ${jobId}`;
  await at.db`delete from runner_job_plan_names where runner_job_id = ${jobId}`;
  expect(await save()).toBe(200);
  expect(await save(runnerToken)).toBe(200);
  expect(await save(runnerToken, `&job_id=${jobId}`)).toBe(200);
  expect(await unlock()).toBe(200);
});

test("a person names only jobs of the org as those that work on a workspace", async () => {
  const { at, id, jobId, unlock } = await setup();
  await unlock();
  const stranger = await givenToken(at.db, { orgId: at.orgId });
  const ask = async (job: string) => {
    const path = `POST /v1/terraform-workspaces/${id}/lock?job_id=${job}`;
    return at.call(path, { token: stranger, body: terraformLock() });
  };
  expect(await ask("hello")).toMatchObject({ status: 404, body: { code: "job_not_found" } });
  expect((await ask(jobId)).status).toBe(200);
});
