import { beforeAll, describe, expect, test } from "vitest";
import type { ActionRun, AppConfig } from "../../shared/api/action-runs.ts";
import { type GivenOperator, givenOperator } from "../support/broker/given-operator.ts";
import { advanceClock } from "../support/database/clock.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenExecution, givenJob, givenProcess, report } from "../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const actionPlan = {
  id: "run.1",
  install_id: "ins_1",
  action_workflow_config_id: "awc_1",
  attrs: {},
  steps: [
    {
      run_id: "step-a",
      name: "first",
      interpolated_command: "echo a",
      interpolated_env_vars: { A: "1" },
    },
    { run_id: "step-b", attrs: { name: "second" }, interpolated_inline_contents: "#!/bin/sh" },
    { run_id: "step-c" },
  ],
  override_env_vars: { B: "2" },
  timeout: 60_000_000_000,
};

/** A runner of ours that runs a job with this plan, and its own token. */
async function setup(plan: object, job: object = { type: "actions-workflow" }) {
  const { given, id } = await at.createRunner();
  const processId = await givenProcess(at.db, given, { serves: { actions: 1, deploy: 1 } });
  const made = { ...job, plan: JSON.stringify(plan) };
  const execution = await givenExecution(at.db, given, { processId, job: made });
  const token = await givenToken(at.db, { orgId: at.orgId, runnerId: id });
  return { id, given, token, ...execution };
}

const done = { status: "finished", result: { success: true } };
const runPath = "/v1/installs/ins_1/action-workflows/runs/run.1";
const stepPath = "/v1/installs/ins_1/action-workflow-runs/run.1/steps";

describe("the run of an action", () => {
  test("is read by the runner whose job's plan names it, step by step", async () => {
    const { token, jobId } = await setup(actionPlan);
    const { status, body } = await at.call<ActionRun>(`GET ${runPath}`, { token });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: "run.1",
      org_id: at.orgId,
      install_id: "ins_1",
      action_workflow_config_id: "",
      status: "in-progress",
      runner_job_id: jobId,
      timeout: 60_000_000_000,
      run_env_vars: { B: "2" },
    });
    expect(body.steps.map(({ id }) => id)).toEqual(["step-a", "step-b", "step-c"]);
    expect(
      body.steps.map(({ adhoc_config: { name, command, inline_contents, env_vars } }) => [
        name,
        command,
        inline_contents,
        env_vars,
      ]),
    ).toEqual([
      ["first", "echo a", "", { A: "1" }],
      ["second", "", "#!/bin/sh", {}],
      ["step 3", "", "", {}],
    ]);
  });

  test("keeps the last word on its steps", async () => {
    const { token } = await setup(actionPlan);
    const path = `PUT ${stepPath}/step-b`;
    const started = await at.call(path, { token, body: { status: "in-progress", from_newer: 1 } });
    expect(started).toMatchObject({ status: 200, body: { id: "step-b", status: "in-progress" } });
    const ended = { status: "finished", execution_duration: 1_500_000_000 };
    expect((await at.call(path, { token, body: ended })).status).toBe(200);
    const { body } = await at.call<ActionRun>(`GET ${runPath}`, { token });
    expect(body.steps.map(({ status }) => status)).toEqual(["pending", "finished", "pending"]);
    expect(body.steps[1]).toMatchObject(ended);
    const wrong = await at.call(path, { token, body: { status: "done" } });
    expect(wrong).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/status" }], user_error: true },
    });
    const absurd = { status: "finished", execution_duration: -1 };
    expect((await at.call(path, { token, body: absurd })).status).toBe(422);
    const other = await at.call(`PUT ${stepPath}/step-z`, { token, body: ended });
    expect(other).toMatchObject({ status: 404, body: { code: "action_run_step_not_found" } });
  });

  test("is there for ten minutes after the execution ended, and then no more", async () => {
    const { token, given, executionId } = await setup(actionPlan);
    expect(await report(at.db, given, { executionId, ...done })).toBe("ok");
    const { body } = await at.call<ActionRun>(`GET ${runPath}`, { token });
    expect(body.status).toBe("finished");
    await advanceClock(at.db, "11 minutes");
    expect((await at.call(`GET ${runPath}`, { token })).status).toBe(404);
  });

  test("of another runner, of a job that waits, or of another install is not there", async () => {
    const { token } = await setup({ ...actionPlan, id: "run.mine" });
    const idle = await at.createRunner();
    await givenJob(at.db, idle.given, {
      type: "actions-workflow",
      plan: JSON.stringify(actionPlan),
    });
    const idleToken = await givenToken(at.db, { orgId: at.orgId, runnerId: idle.id });
    const paths = [
      runPath,
      "/v1/installs/ins_2/action-workflows/runs/run.mine",
      "/v1/installs/ins_1/action-workflows/runs/run",
      "/v1/installs/ins_1/action-workflows/runs/%00",
      "/v1/action-workflows/configs/awc_2",
    ];
    for (const path of paths) {
      expect([path, (await at.call(`GET ${path}`, { token })).status]).toEqual([path, 404]);
    }
    expect((await at.call(`GET ${runPath}`, { token: idleToken })).status).toBe(404);
    expect((await at.call(`GET ${runPath}`)).status).toBe(404); // the control plane's own records know none
  });

  test("has the config that its plan names, and the action that it is of", async () => {
    const named = {
      ...actionPlan,
      action_workflow_config_id: "awc_3",
      action_workflow_id: "act_3",
    };
    const inAttrs = { action_workflow_config_id: "awc_4", action_workflow_id: "act_4" };
    for (const [plan, config, action] of [
      [named, "awc_3", "act_3"],
      [{ ...actionPlan, action_workflow_config_id: undefined, attrs: inAttrs }, "awc_4", "act_4"],
      [{ ...actionPlan, action_workflow_config_id: "awc_5" }, "awc_5", ""],
    ] as const) {
      const { token } = await setup(plan);
      const answer = await at.call(`GET /v1/action-workflows/configs/${config}`, { token });
      expect(answer).toMatchObject({ status: 200, body: { action_workflow_id: action } });
    }
    const { token } = await setup(actionPlan);
    const { status, body } = await at.call("GET /v1/action-workflows/configs/awc_1", { token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: "awc_1", steps: [{ name: "first" }, { name: "second" }, {}] });
  });
});

describe("an app config", () => {
  const plan = {
    app_id: "app_1",
    app_config_id: "cfg_1",
    component_id: "cmp_1",
    component_name: "vpc",
    terraform: { vars: {} },
  };

  test("tells a runner the versions that its job's metadata names", async () => {
    const job = { type: "terraform-deploy", metadata: { terraform_version: "1.9.8" } };
    const { token } = await setup(plan, job);
    const { status, body } = await at.call<AppConfig>("GET /v1/apps/app_1/config/cfg_1", { token });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: "cfg_1",
      app_id: "app_1",
      sandbox: { terraform_version: "1.9.8" },
      component_config_connections: [
        { component_id: "cmp_1", component_name: "vpc", terraform_module: { version: "1.9.8" } },
      ],
    });
    expect((await at.call("GET /v1/apps/app_2/config/cfg_1", { token })).status).toBe(404);
    expect((await at.call("GET /v1/apps/app_1/config/cfg", { token })).status).toBe(404);
  });
});

test("a runner has no sandbox config of its own", async () => {
  const { id, token } = await setup({});
  const path = `GET /v1/runners/${id}/sandbox-config?job_type=noop&operation=exec`;
  expect(await at.call(path, { token })).toMatchObject({ status: 404, body: { user_error: true } });
});
