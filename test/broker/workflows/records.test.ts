import { expect, test } from "vitest";
import type { WholeActionRun } from "../../../shared/api/actions.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

/** What runners read out of their jobs' plans, everybody else reads as it is stored. */
test("who is no runner gets records by the paths that runners read", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const { id, workflow_id: workflow } = (await org.run(installId, "greet")).body;
  await org.reach(workflow, "success");
  const runPath = `/v1/installs/${installId}/action-workflows/runs/${id}`;
  const run = await org.api<WholeActionRun>(`GET ${runPath}`);
  expect(run.status).toBe(200);
  expect(run.body).toEqual(
    (await org.api(`GET /v1/installs/${installId}/actions/runs/${id}`)).body,
  );
  const actionConfig = `/v1/action-workflows/configs/${run.body.action_workflow_config_id}`;
  const { action_workflow_id: action } = run.body;
  const latest = await org.api(`GET /v1/apps/${org.appId}/actions/${action}/latest-config`);
  expect((await org.api(`GET ${actionConfig}`)).body).toEqual(latest.body);
  const config = `/v1/apps/${org.appId}/config/${org.configId}`;
  expect((await org.api(`GET ${config}`)).body).toEqual(
    (await org.api(`GET /v1/apps/${org.appId}/configs/${org.configId}`)).body,
  );

  const paths = [runPath, actionConfig, config];
  const theirs = await givenToken(db, { orgId: await givenOrg(db), role: "org_admin" });
  const reader = await givenToken(db, { orgId: org.orgId, role: "org_read_only" });
  const stack = await givenToken(db, { orgId: org.orgId, role: "stack" });
  const statuses = (token: string) =>
    Promise.all(paths.map(async (path) => (await call(`GET ${path}`, { token })).status));
  expect(await statuses(reader)).toEqual([200, 200, 200]);
  expect(await statuses(theirs)).toEqual([404, 404, 404]);
  expect(await statuses(stack)).toEqual([403, 403, 403]);
});
