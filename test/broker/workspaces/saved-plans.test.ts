import { beforeAll, describe, expect, test } from "vitest";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import {
  beginPlanJob,
  endPlanJob,
  givenPlanRunner,
  lockedFor,
  type PlanJobAsk,
  type PlanRunner,
} from "../../support/broker/given-plan-jobs.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { givenProcess } from "../../support/rows/given.ts";
import {
  backendPath,
  givenWorkspace,
  stateText,
  terraformLock,
} from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** A job that planned and ended so, and what came of it: who a lock in its name is of, by the runner's token. */
async function setup(
  given: { readonly planned?: Partial<PlanJobAsk>; readonly ended?: string } = {},
) {
  const runner = await givenPlanRunner(at);
  const workspaceId = await givenWorkspace(at);
  const planning = { operation: "create-apply-plan", workspaceId, ...given.planned };
  const planner = await beginPlanJob(at, runner, planning);
  const { ended = "finished" } = given;
  if (ended !== "in-progress") await endPlanJob(at, runner, planner, ended);
  const apply = (ask: Partial<PlanJobAsk> = {}, by: PlanRunner = runner) =>
    beginPlanJob(at, by, { operation: "apply-plan", workspaceId, ...ask });
  const asked = { workspaceId, jobId: planner.jobId, token: runner.token };
  return { runner, workspaceId, planner, apply, asked, lockedFor: () => lockedFor(at, asked) };
}

describe("a call in the name of the job that planned", () => {
  test.each(["create-apply-plan", "create-teardown-plan"])(
    "counts as the one that applies the plan: %s",
    async (operation) => {
      const given = await setup({ planned: { operation } });
      const applying = await given.apply();
      expect(await given.lockedFor()).toBe(applying.jobId);
    },
  );

  test.each([
    ["in-progress", "own"],
    ["cancelled", 409],
    ["failed", 409],
    ["timed-out", 409],
    ["not-attempted", 409],
  ])("is its own when that job is %s", async (ended, expected) => {
    const given = await setup({ ended });
    await given.apply();
    expect(await given.lockedFor()).toBe(expected === "own" ? given.planner.jobId : expected);
  });

  test.each<[string, Partial<PlanJobAsk>]>([
    ["only planned anew", { operation: "create-apply-plan" }],
    ["ran without a plan", { operation: "exec" }],
  ])("is not of a job that %s", async (_, ask) => {
    const given = await setup();
    await given.apply(ask);
    expect(await given.lockedFor()).toBe(409);
  });

  test("is not of a job that applies to another workspace", async () => {
    const given = await setup();
    await given.apply({ workspaceId: await givenWorkspace(at) });
    expect(await given.lockedFor()).toBe(409);
  });

  test("is not of a job that applies when the other did not plan, or for another workspace", async () => {
    const ran = await setup({ planned: { operation: "exec" } });
    await ran.apply();
    expect(await ran.lockedFor()).toBe(409);
    const elsewhere = await setup({ planned: { workspaceId: await givenWorkspace(at) } });
    await elsewhere.apply();
    expect(await elsewhere.lockedFor()).toBe(404);
  });

  test("is not of a job of another runner, nor of another org", async () => {
    const given = await setup();
    const neighbour = await givenPlanRunner(at);
    await given.apply({}, neighbour);
    expect(await given.lockedFor()).toBe(409);
    const strange = { ...given.asked, token: neighbour.token };
    expect(await lockedFor(at, strange)).toBe(404);

    const others = await givenOperator("org_admin", {
      db: at.db,
      url: at.broker.broker.config.databaseUrl,
    });
    const stranger = await givenPlanRunner(others);
    const workspaceId = await givenWorkspace(others);
    await beginPlanJob(others, stranger, { operation: "apply-plan", workspaceId });
    const crossed = { workspaceId, jobId: given.planner.jobId, token: stranger.token };
    expect(await lockedFor(others, crossed)).toBe(404);
    expect(await lockedFor(at, { ...crossed, token: given.runner.token })).toBe(404);
  });

  test("is of the same owner's job where two apply to the workspace", async () => {
    const given = await setup();
    await given.apply({ owner: "dep_2" });
    const applying = await given.apply();
    await given.apply({ owner: "dep_3" });
    expect(await given.lockedFor()).toBe(applying.jobId);
  });

  test("that simulates or is Pulumi's is found by the places where such plans name it", async () => {
    const runner = await givenPlanRunner(at);
    const workspaceId = await givenWorkspace(at);
    const plan = { sandbox_mode: { enabled: true, terraform: { workspace_id: workspaceId } } };
    const planning = { operation: "create-apply-plan", workspaceId, plan };
    const planner = await beginPlanJob(at, runner, planning);
    await endPlanJob(at, runner, planner, "finished");
    const applying = await beginPlanJob(at, runner, { ...planning, operation: "apply-plan" });
    const asked = { workspaceId, jobId: planner.jobId, token: runner.token };
    expect(await lockedFor(at, asked)).toBe(applying.jobId);

    const pulumi = { pulumi: { workspace_id: await givenWorkspace(at) } };
    const path = `/v1/runners/pulumi-state/${pulumi.pulumi.workspace_id}`;
    const own = await beginPlanJob(at, runner, {
      operation: "exec",
      type: "pulumi-deploy",
      workspaceId: "",
      plan: pulumi,
    });
    const read = (jobId: string) => at.call(`GET ${path}?job_id=${jobId}`, { token: runner.token });
    expect((await read(own.jobId)).status).toBe(204);
    expect((await read(planner.jobId)).status).toBe(404);
  });
});

describe("a job's own token", () => {
  test("counts as its job's whichever planner it names, and as no other's", async () => {
    const given = await setup();
    const { runner, workspaceId, planner } = given;
    const claim = async (ask: PlanJobAsk) => {
      const plan = { terraform: { terraform_backend: { WorkspaceID: ask.workspaceId } } };
      const body = { type: "terraform-deploy", operation: ask.operation, plan };
      await at.call(`POST /v1/runners/${runner.runnerId}/jobs`, { body });
      const processId = await givenProcess(at.db, runner, { serves: { deploy: 4 } });
      const claimed = await at.call<{ jobs: { job: { id: string }; token: string }[] }>(
        `POST /v1/runners/${runner.runnerId}/jobs/claim`,
        { token: runner.token, body: { process_id: processId, groups: { deploy: 1 } } },
      );
      const [one] = claimed.body.jobs;
      if (one === undefined) throw new Error("nothing was claimed");
      return { jobId: one.job.id, token: one.token };
    };
    const applying = await claim({ operation: "apply-plan", workspaceId });
    const elsewhere = await givenWorkspace(at);
    const other = await claim({ operation: "apply-plan", workspaceId: elsewhere });
    const planningAnew = await claim({ operation: "create-apply-plan", workspaceId });
    const by = (token: string, jobId = planner.jobId) =>
      lockedFor(at, { workspaceId, jobId, token });
    expect(await by(applying.token)).toBe(applying.jobId);
    expect(await by(other.token)).toBe(404);
    expect(await by(other.token, applying.jobId)).toBe(404);
    expect(await by(planningAnew.token)).toBe(404);
    expect(await by(planningAnew.token, applying.jobId)).toBe(404);
  });
});

test("a cancelled apply saves under its lock for ten minutes in the planner's name, takes none, and then is nobody", async () => {
  const own = await givenOperator();
  const runner = await givenPlanRunner(own);
  const workspaceId = await givenWorkspace(own);
  const planner = await beginPlanJob(own, runner, { operation: "create-apply-plan", workspaceId });
  await endPlanJob(own, runner, planner, "finished");
  await stopClock(own.db); // nothing that the broker's loops do is meant here
  await advanceClock(own.db, "3 hours"); // somebody took his time to approve the plan
  await givenProcess(own.db, runner, { serves: { deploy: 4 } });
  const applying = await beginPlanJob(own, runner, { operation: "apply-plan", workspaceId });

  const { token } = runner;
  const lock = terraformLock();
  const path = `/v1/terraform-workspaces/${workspaceId}`;
  const name = `job_id=${planner.jobId}`;
  const locked = await own.call(`POST ${path}/lock?${name}`, { token, body: lock });
  expect(locked.status).toBe(200);
  await endPlanJob(own, runner, applying, "cancelled");
  const held = await own.call(`GET ${path}/lock`);
  expect(held.body).toMatchObject({ runner_job_id: applying.jobId });

  const write = (serial: number) =>
    own.call(`POST ${backendPath(workspaceId, lock.ID)}&${name}`, {
      token,
      body: stateText({ serial }),
    });
  expect((await write(1)).status).toBe(200);
  const state = await own.call(`GET ${path}/states/1`);
  expect(state.body).toMatchObject({ runner_job_id: applying.jobId });
  const unlocked = await own.call(`POST ${path}/unlock?${name}`, { token, body: lock });
  expect(unlocked.status).toBe(200);
  expect(await lockedFor(own, { workspaceId, jobId: planner.jobId, token })).toBe(409);

  const stopped = own.db`delete from stopping_executions where runner_job_id = ${applying.jobId}`;
  await stopped; // as its process would have said
  await advanceClock(own.db, "10 minutes");
  expect((await write(2)).status).toBe(404);
  expect((await own.call(`GET ${backendPath(workspaceId)}&${name}`, { token })).status).toBe(404);
});

test("open jobs of before the upgrade are found by places that were not kept beside their plans", async () => {
  const { runner, workspaceId, apply } = await setup();
  const plan = { sandbox_mode: { enabled: true, terraform: { workspace_id: workspaceId } } };
  const job = await apply({ operation: "exec", plan });
  await at.db`delete from runner_job_plan_names where runner_job_id = ${job.jobId}`;
  await at.db`update runner_job_plans set names = '{}' where runner_job_id = ${job.jobId}`;
  const read = await at.call(`GET ${backendPath(workspaceId)}&job_id=${job.jobId}`, {
    token: runner.token,
  });
  expect(read.status).toBe(204);
});
