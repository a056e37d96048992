import { expect } from "vitest";
import type { TestDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner } from "../rows/given.ts";
import type { TestBroker } from "./broker.ts";

/** Processes that are to go, with what they run. */
export function givenLeaving(db: TestDatabase["db"], { call }: Pick<TestBroker, "call">) {
  return { setup, givenRunning, endOf, seen };

  async function setup(isOurs = true, deploy = 1) {
    const runner = await givenRunner(db, { parallelism: { deploy } });
    const processId = await givenProcess(db, runner, { isOurs, serves: { deploy } });
    const runnerPath = `/v1/runners/${runner.runnerId}`;
    const path = `${runnerPath}/processes/${processId}`;
    const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
    const operator = await givenToken(db, { orgId: runner.orgId });
    return { ...runner, processId, runnerPath, path, token, operator };
  }

  async function givenRunning(given: Awaited<ReturnType<typeof setup>>, maxExecutions = 1) {
    const job = { type: "terraform-deploy", maxExecutions } as const;
    const execution = await givenExecution(db, given, { processId: given.processId, job });
    await db`
      update runner_job_executions set status = 'in-progress', confirmed_at = created_at
       where id = ${execution.executionId}`;
    return execution;
  }

  async function endOf(jobId: string) {
    const [row] = await db<{ status: string; why: string }[]>`
      select status, status_description as why from runner_job_ends where runner_job_id = ${jobId}`;
    return row;
  }

  /** What the open route shows, and nothing else may be in it. */
  async function seen(path: string) {
    const { status, body } = await call<Record<string, unknown>[]>(`GET ${path}/shutdowns`);
    expect(status).toBe(200);
    for (const one of body) expect(Object.keys(one).toSorted()).toEqual(["id", "status", "type"]);
    return body;
  }
}
