import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenStateJob, givenWorkspace } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** A job that runs, and another one of its runner or not. */
async function setup(runnerId?: string) {
  const job = await givenStateJob(at, await givenWorkspace(at), {
    runnerId: runnerId ?? (await givenRunnerOfTwo()),
  });
  const path = `/v1/runner-jobs/${job.jobId}/executions/${job.executionId}`;
  const finish = () =>
    at.call(`POST ${path}/finish`, {
      token: job.token,
      body: { status: "failed", result: { success: false, error_metadata: { message: "m" } } },
    });
  return { ...job, path, finish };
}

/** A runner that may do two jobs at once. */
async function givenRunnerOfTwo(): Promise<string> {
  const { id } = await at.createRunner();
  const slots = { job_group_parallelism: { deploy: "2" } };
  const set = await at.call(`PATCH /v1/runners/${id}/settings`, { body: slots });
  expect(set.status).toBe(200);
  return id;
}

/** Whether the broker still waits for its process to stop it. */
const stoppingOf = (executionId: string) => async (): Promise<number> =>
  (await at.db`select from stopping_executions where execution_id = ${executionId}`).length;

const notThere = { status: 404, body: { code: "execution_not_found" } };

describe("whether an execution is over", () => {
  test("may be asked with the token of another job of its runner, which hears nothing else of it", async () => {
    const holder = await setup();
    const next = await setup(holder.runnerId);
    const ask = () => at.call(`GET ${holder.path}/end`, { token: next.token });
    expect(await ask()).toMatchObject({ status: 200, body: { finished_at: null } });
    await holder.finish();
    const answer = await ask();
    expect(answer.body).toEqual({ finished_at: expect.stringMatching(/^\d{4}-.*Z$/) as string });
    for (const rest of ["", "/result"]) {
      const refused = await at.call(`GET ${holder.path}${rest}`, { token: next.token });
      expect(refused).toMatchObject({ status: 403, body: { code: "permission_missing" } });
    }
    const executions = await at.call(`GET /v1/runner-jobs/${holder.jobId}/executions`, {
      token: next.token,
    });
    expect(executions.status).toBe(403);
  });

  test("may be asked by the agent of its runner, and of its own", async () => {
    const { path, runnerToken, token } = await setup();
    for (const asking of [runnerToken, token]) {
      const answer = await at.call(`GET ${path}/end`, { token: asking });
      expect(answer).toMatchObject({ status: 200, body: { finished_at: null } });
    }
  });

  test.each(["cancel", "loss"] as const)(
    "is denied after a %s while it may still run over there, until nothing can run any more",
    async (how) => {
      const holder = await setup();
      const ask = () => at.call(`GET ${holder.path}/end`, { token: holder.runnerToken });
      const started = { token: holder.token, body: { status: "in-progress" } };
      expect((await at.call(`PATCH ${holder.path}`, started)).status).toBe(200);
      if (how === "cancel") await at.call(`POST /v1/runner-jobs/${holder.jobId}/cancel`);
      else await advanceClock(at.db, "6 minutes");
      await expect.poll(stoppingOf(holder.executionId)).toBe(1);
      expect(await ask()).toMatchObject({ status: 200, body: { finished_at: null } });
      await advanceClock(at.db, "2 days");
      await expect.poll(stoppingOf(holder.executionId)).toBe(0);
      const { body } = await ask();
      expect(body).toEqual({ finished_at: expect.stringMatching(/^\d{4}-.*Z$/) as string });
    },
  );

  test("is nothing that another runner's job or agent may know, nor one of another org", async () => {
    const { path } = await setup();
    const other = await setup();
    for (const token of [other.token, other.runnerToken]) {
      expect(await at.call(`GET ${path}/end`, { token })).toMatchObject(notThere);
    }
    const orgId = await givenOrg(at.db);
    const operatorToken = await givenToken(at.db, { orgId, role: "org_admin" });
    const call: GivenOperator["call"] = (what, given) =>
      at.broker.call(what, { token: operatorToken, ...given });
    const group = await call<{ id: string }>("POST /v1/runner-groups", {
      body: { type: "install", platform: "aws" },
    });
    const runner = await call<{ id: string }>("POST /v1/runners", {
      body: { name: "stranger", runner_group_id: group.body.id },
    });
    const token = await givenToken(at.db, { orgId, runnerId: runner.body.id });
    expect(await at.call(`GET ${path}/end`, { token })).toMatchObject(notThere);
  });

  test("is not told of an execution under another job's name, nor of one that there is not", async () => {
    const { jobId, executionId, token } = await setup();
    const other = await setup();
    const none = `exe_${"0".repeat(26)}`;
    for (const [job, execution] of [
      [other.jobId, executionId],
      [jobId, other.executionId],
      [jobId, none],
    ]) {
      const path = `/v1/runner-jobs/${job}/executions/${execution}/end`;
      expect(await at.call(`GET ${path}`, { token })).toMatchObject(notThere);
    }
  });

  test("is not told to a job's token that has expired, ten minutes after its end", async () => {
    const holder = await setup();
    const next = await setup(holder.runnerId);
    await at.call(`POST /v1/runner-jobs/${next.jobId}/cancel`);
    await advanceClock(at.db, "10 minutes 1 second");
    const ask = (token: string) => at.call(`GET ${holder.path}/end`, { token });
    // Its first request: what a broker has just let in, it lets in for some seconds more.
    const refused = await ask(next.token);
    expect(refused).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect((await ask(holder.runnerToken)).status).toBe(200);
  });

  test("is no question of people, who read the execution", async () => {
    const { path } = await setup();
    const asked = await at.call(`GET ${path}/end`);
    expect(asked).toMatchObject({ status: 403, body: { code: "permission_missing" } });
  });
});
