import { expect } from "vitest";
import { givenToken } from "../rows/given-token.ts";
import { type GivenRunner, givenProcess, givenRunner } from "../rows/given.ts";
import { terraformLock } from "../workspaces/given-workspace.ts";
import type { GivenOperator } from "./given-operator.ts";

export type PlanRunner = GivenRunner & { readonly token: string };
type Job = { readonly jobId: string; readonly executionPath: string };
export type PlanJobAsk = {
  readonly operation: string;
  readonly workspaceId: string;
  readonly owner?: string;
  readonly type?: string;
  readonly plan?: object;
};

/** A runner of four slots, with its token. */
export async function givenPlanRunner(by: GivenOperator): Promise<PlanRunner> {
  const runner = await givenRunner(by.db, { orgId: by.orgId, parallelism: { deploy: 4 } });
  await givenProcess(by.db, runner, { serves: { deploy: 4 } });
  return { ...runner, token: await givenToken(by.db, runner) };
}

/** A job that the runner took by its name and works on. */
export async function beginPlanJob(
  by: GivenOperator,
  runner: PlanRunner,
  ask: PlanJobAsk,
): Promise<Job> {
  const { operation, workspaceId, owner = "dep_1", type = "terraform-deploy" } = ask;
  const plan = ask.plan ?? { terraform: { terraform_backend: { WorkspaceID: workspaceId } } };
  const body = { type, operation, plan, owner_id: owner, owner_type: "install_deploys" };
  const path = `/v1/runners/${runner.runnerId}/jobs`;
  const made = await by.call<{ id: string }>(`POST ${path}`, { body });
  const jobId = made.body.id;
  const { token } = runner;
  const claim = { token, body: "null\n" };
  const claimed = await by.call<{ id: string }>(`POST /v1/runner-jobs/${jobId}/executions`, claim);
  expect(claimed.status).toBe(201);
  const executionPath = `/v1/runner-jobs/${jobId}/executions/${claimed.body.id}`;
  await by.call(`PATCH ${executionPath}`, { token, body: { status: "in-progress" } });
  return { jobId, executionPath };
}

/** Ends it as an operator or its runner would. */
export async function endPlanJob(
  by: GivenOperator,
  runner: PlanRunner,
  job: Job,
  status: string,
): Promise<void> {
  const ended =
    status === "cancelled"
      ? await by.call(`POST /v1/runner-jobs/${job.jobId}/cancel`)
      : await by.call(`PATCH ${job.executionPath}`, { token: runner.token, body: { status } });
  expect(ended.status).toBeLessThan(300);
}

/** Which job a lock that is taken in this job's name is of; else the status of the refusal. */
export async function lockedFor(
  by: GivenOperator,
  asked: { workspaceId: string; jobId: string; token: string },
): Promise<string | number> {
  const path = `/v1/terraform-workspaces/${asked.workspaceId}`;
  const lock = terraformLock();
  const answer = await by.call(`POST ${path}/lock?job_id=${asked.jobId}`, {
    token: asked.token,
    body: lock,
  });
  if (answer.status !== 200) return answer.status;
  const { body } = await by.call<{ runner_job_id: string }>(`GET ${path}/lock`);
  await by.call(`POST ${path}/unlock`, { token: asked.token, body: lock });
  return body.runner_job_id;
}
