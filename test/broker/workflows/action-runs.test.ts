import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { WholeActionRun } from "../../../shared/api/actions.ts";
import type { TestBroker } from "../../support/broker/broker.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

describe("a run of an action", () => {
  test("is a job with what is known of the install in its plan, and ends as the job does", async () => {
    const org = await setup();
    const { installId, agent } = await givenInstall(org);
    const { body } = await org.run(installId, "greet", { run_env_vars: { MORE: "x" } });
    const done = await org.reach(body.workflow_id, "success");
    expect(stepsOf(done)).toEqual([
      "generate install state: success",
      "greet action run (manual): success",
    ]);
    const plan = JSON.parse(agent.plans.at(-1) ?? "{}") as Record<string, unknown>;
    expect(plan).toMatchObject({
      id: body.id,
      install_id: installId,
      steps: [{ interpolated_command: "echo Hello world" }],
      override_env_vars: { MORE: "x" },
    });
    const run = await org.api<WholeActionRun>(
      `GET /v1/installs/${installId}/actions/runs/${body.id}`,
    );
    expect(run.body).toMatchObject({
      status: "finished",
      trigger_type: "manual",
      workflow_id: body.workflow_id,
      steps: [{ name: "run" }],
    });
    const rows = await org.db`
      select s.name, s.idx from action_run_steps s where s.runner_job_id = ${run.body.runner_job_id}`;
    expect(rows).toEqual([{ name: "run", idx: 0 }]);
  });

  test("of an unknown action, or with no name, is refused", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    expect((await org.run(body.id, "gret")).body.errors).toMatchObject([
      { code: "unknown_action" },
    ]);
    const both = await org.api(`POST /v1/installs/${body.id}/actions/runs`, {});
    expect(both.body.errors).toMatchObject([{ code: "one_of" }]);
  });

  test("ad hoc needs no config", async () => {
    const org = await setup();
    const { installId, agent } = await givenInstall(org);
    const at = `POST /v1/installs/${installId}/actions/adhoc-run`;
    const asked = { command: "echo {{ .svc.install.name }}", timeout: 90 };
    const adhoc = await org.api<{ workflow_id: string }>(at, {
      ...asked,
      enable_kube_config: true,
    });
    await org.reach(adhoc.body.workflow_id, "success");
    expect(agent.plans.at(-1)).toContain("echo acme");
    expect(agent.plans.at(-1)).toContain('"timeout":90000000000');
    for (const wrong of [{ timeout: 3601 }, { timeout: 0 }])
      expect((await org.api(at, { command: "true", ...wrong })).status).toBe(422);
    const named = await org.api(`POST /v1/installs/${installId}/action-workflows/runs`, {
      name: "greet",
    });
    expect(named.status).toBe(201); // the older word for actions
  });

  test("whose plan cannot be made fails before there is a job, and says what is missing", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const adhoc = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/actions/adhoc-run`,
      { command: "echo {{ .svc.labels.nothing }}" },
    );
    const failed = await org.reach(adhoc.body.workflow_id, "failed-pending-retry");
    const step = stepIn(failed, "failed-pending-retry");
    expect(step).toMatchObject({ runner_job_id: null, composite_error: { code: "missing_value" } });
    expect(step.composite_error?.detail).toContain(".svc.labels.nothing");
  });

  test("that asks for what runners lack fails before there is a job", async () => {
    const config = {
      name: "wants",
      image: "busybox",
      triggers: [{ type: "manual" }],
      steps: [{ name: "run", command: "true" }],
    };
    const org = await setup({ ...shopConfig, actions: { "wants.toml": config } });
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "wants");
    const failed = await org.reach(body.workflow_id, "failed-pending-retry");
    expect(stepIn(failed, "failed-pending-retry")).toMatchObject({
      runner_job_id: null,
      composite_error: { code: "image_unsupported" },
    });
  });
});

test("an action that has the name of a deleted one shows its own runs in the install's state", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const at = `/v1/installs/${installId}`;
  const greet = "greet";
  const { "greet.toml": _, ...rest } = shopConfig.actions;
  const runOnce = async (port: number) => {
    const { body } = await org.run(installId, greet);
    await org.reach(body.workflow_id, "success");
    await org.db`
      insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
      select d.final_execution_id, r.org_id, d.final_execution_id, ${JSON.stringify({ port })}::text::jsonb, svc_now()
        from install_action_runs r join runner_job_ends d on d.runner_job_id = r.runner_job_id
       where r.id = ${body.id}`;
    return body.id;
  };
  await runOnce(1);
  const listed = await org.api<{ id: string; name: string }[]>(`GET /v1/apps/${org.appId}/actions`);
  const old = listed.body.find(({ name }) => name === greet)?.id ?? "";
  const adopt = async (document: object) => {
    const { body: synced } = await org.sync(document);
    const asked = { app_config_id: synced.id };
    const { body } = await org.api<{ workflow_id: string }>(`POST ${at}/app-config-updates`, asked);
    await org.reach(body.workflow_id, "success");
  };
  await adopt({ ...shopConfig, actions: rest });
  expect((await org.api(`DELETE /v1/apps/${org.appId}/actions/${old}`)).status).toBe(200);
  await adopt(shopConfig);
  const id = await runOnce(2);
  const { body } = await org.api(`GET ${at}/state`);
  expect(body).toMatchObject({ actions: { greet: { id, outputs: { port: 2 } } } });
});

test("an install's actions are read with their runs, the last outputs and steps", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const base = `/v1/installs/${installId}/actions`;
  const first = (await org.run(installId, "greet")).body;
  await org.reach(first.workflow_id, "success");
  const second = (await org.run(installId, "greet")).body;
  await org.reach(second.workflow_id, "success");
  const latest = await org.api<{ id: string; name: string; action_workflow_id: string }[]>(
    `GET ${base}/latest-runs`,
  );
  expect(latest.body.map(({ name }) => name)).toEqual(["first", "greet", "last", "second"]);
  const [, greet] = latest.body;
  expect(greet?.id).toBe(second.id);
  const action = `${base}/${greet?.action_workflow_id ?? ""}`;
  expect((await org.api(`GET ${action}`)).body).toMatchObject({
    action: { name: "greet" },
    latest_run: { id: second.id },
  });
  const { body: recent } = await org.api(`GET ${action}/recent-runs`);
  expect(recent).toMatchObject({
    action_workflow_id: greet?.action_workflow_id,
    runs: [{ id: second.id }, { id: first.id }],
  });
  const { body: page } = await org.api(`GET ${action}/recent-runs?cursor=&limit=1`);
  expect(page).toMatchObject({ items: [{ id: second.id }] });
  expect((await org.api(`GET ${action}/outputs`)).body).toEqual({});
  const { body: run } = await org.api<WholeActionRun>(`GET ${base}/runs/${second.id}`);
  const step = `${base}/runs/${second.id}/steps/${run.steps[0]?.id ?? ""}`;
  expect((await org.api(`GET ${step}`)).body).toEqual(run.steps[0]);
  expect((await org.api(`GET ${base}/runs/${second.id}/steps/none`)).status).toBe(404);
  const other = await setup();
  for (const path of [
    `${base}/latest-runs`,
    action,
    `${action}/recent-runs`,
    `${action}/outputs`,
    step,
  ])
    expect((await other.api(`GET ${path}`)).status).toBe(404);
});

describe("long outputs of a run", () => {
  /** A run with outputs of so many bytes, and where it is read. */
  async function givenOutputs(bytes: number) {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const { body: begun } = await org.run(installId, "greet");
    await org.reach(begun.workflow_id, "success");
    const outputs = { pad: "x".repeat(bytes) };
    await org.db`
      insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
      select d.final_execution_id, r.org_id, d.final_execution_id, ${JSON.stringify(outputs)}::text::jsonb, svc_now()
        from install_action_runs r join runner_job_ends d on d.runner_job_id = r.runner_job_id
       where r.id = ${begun.id}`;
    const at = `/v1/installs/${installId}`;
    const run = `${at}/actions/runs/${begun.id}`;
    const { body } = await org.api<WholeActionRun>(`GET ${run}`);
    const last = `${at}/actions/${body.action_workflow_id}/outputs`;
    const [{ broker, url }] = org.brokers as [TestBroker];
    return { org, outputs, run, last, state: `${at}/state`, downloads: broker.downloads, url };
  }

  test("are refused where there is no room for them, as are those of a state", async () => {
    const { org, outputs, run, last, state, downloads } = await givenOutputs(400_000);
    const mebibyte = 1024 * 1024;
    for (const [orgId, bytes, status, code] of [
      [org.orgId, 64, 429, "too_many_bytes"],
      ["another org", 128, 503, "unavailable"],
    ] as const) {
      const leave = downloads.hold({ orgId, tokenId: "other", bytes: bytes * mebibyte });
      for (const path of [run, last, state]) {
        const refused = await org.api(`GET ${path}`);
        expect(refused).toMatchObject({ status, body: { code } });
        expect(refused.headers.get("retry-after")).toBe("2");
        expect((await org.api(`HEAD ${path}`)).status).toBe(status);
      }
      leave();
    }
    expect((await org.api(`GET ${run}`)).body).toMatchObject({ status: "finished", outputs });
    expect((await org.api(`GET ${last}`)).body).toEqual(outputs);
    expect((await org.api(`GET ${state}`)).body).toMatchObject({ actions: { greet: { outputs } } });
    await expect.poll(() => downloads.heldBytes).toBe(0);
  });

  test("hold their room while a client takes none of them, and no longer", async () => {
    const { org, run, last, downloads, url } = await givenOutputs(15_000_000);
    const { hostname, port } = new URL(url);
    const clients = [run, last].map((path) => {
      const socket = connect(Number(port), hostname)
        .on("error", () => {})
        .pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${org.token}\r\n\r\n`);
      return socket;
    });
    await expect.poll(() => downloads.heldBytes).toBeGreaterThan(30_000_000);
    for (const client of clients) client.destroy();
    await expect.poll(() => downloads.heldBytes).toBe(0);
  });
});
