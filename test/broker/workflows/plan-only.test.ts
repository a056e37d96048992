import { expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

test("a workflow that only plans leaves actions out, and the install as it is", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const at = `/v1/installs/${installId}`;
  const read = async () => (await org.api<Install>(`GET ${at}`)).body;
  const states = async () => (await org.api<object[]>(`GET ${at}/state-history`)).body.length;
  const before = [await read(), await states()];
  const { "greet.toml": _, ...actions } = shopConfig.actions;
  const { body: next } = await org.sync({ ...shopConfig, actions });
  const plan = async (what: string, body: object = {}) => {
    const begun = await org.api(`POST ${at}/${what}`, { ...body, plan_only: true });
    expect(begun.status).toBe(201);
    const workflow = await org.reach(
      (begun.body as { workflow_id?: string }).workflow_id ?? "",
      "success",
    );
    expect(workflow.plan_only).toBe(true);
    return stepsOf(workflow);
  };
  const [state, healthy] = ["generate install state: success", "runner healthy: success"];
  const account = "provision runner service account: success";
  expect(await plan("app-config-updates", { app_config_id: next.id })).toEqual([state, healthy]);
  expect(await plan("reprovision")).toEqual([account, state, healthy]);
  expect(await plan("deprovision")).toEqual([state, healthy]);
  const after = [await read(), await states()];
  expect(after).toEqual([
    {
      ...(before[0] as Install),
      app_config_ref: {
        applied_config_id: org.configId,
        expected_config_id: next.id,
      },
    },
    before[1],
  ]);
  const listed = await org.api<{ type: string }[]>(`GET ${at}/workflows?planonly=true`);
  expect(listed.body.map(({ type }) => type)).toEqual([
    "deprovision",
    "reprovision",
    "app_branch_config_update",
  ]);
});

test("a plan does not wait for a change, nor a change for it", async () => {
  const org = await setup();
  const { body: made } = await org.create(); // waits for its runner
  const at = `/v1/installs/${made.id}`;
  const begun = await org.api<{ workflow_id: string }>(`POST ${at}/reprovision`, {
    plan_only: true,
  });
  await org.reach(begun.body.workflow_id, "in-progress");
  expect((await org.api<Install>(`GET ${at}`)).body.lifecycle_phase).toMatchObject({
    phase: "provisioning",
    workflow_id: made.workflow_id,
  });
});
