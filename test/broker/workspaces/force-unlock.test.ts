import { describe, expect, test } from "vitest";
import { givenOperator } from "../../support/broker/given-operator.ts";
import {
  givenStateJob,
  givenWorkspace,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

const at = await givenOperator();
const { db, call } = at;

describe("a force-unlock of the lock", () => {
  test("of a job that runs, or may still be stopping, stays unless the request says force", async () => {
    const id = await givenWorkspace(at);
    const job = await givenStateJob(at, id);
    await call(`POST /v1/terraform-workspaces/${id}/lock`, {
      body: terraformLock(),
      token: job.token,
    });
    const path = `POST /v1/terraform-workspaces/${id}/force-unlock`;
    const body = { reason: "it hangs" };
    const refused = { status: 409, body: { code: "lock_in_use", runner_job_id: job.jobId } };
    expect(await call(path, { body })).toMatchObject(refused);
    await db`update runner_job_executions set status = 'in-progress' where runner_job_id = ${job.jobId}`;
    await call(`POST /v1/runner-jobs/${job.jobId}/cancel`);
    expect(await call(path, { body })).toMatchObject(refused);
    await db`delete from stopping_executions where runner_job_id = ${job.jobId}`;
    expect(await call(path, { body })).toMatchObject({ status: 200, body: { lock: null } });
  });
});
