import { expect, test } from "vitest";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

type Page = { readonly items: readonly Readonly<Record<string, string>>[] };

test("lists of webhooks, configs, approvals and orgs are narrowed, page by page", async () => {
  const org = await setup();
  const items = async (path: string, member: string) =>
    (await org.api<Page>(`GET ${path}`)).body.items.map((item) => item[member]);
  for (const name of ["one", "two", "three"])
    await org.api("POST /v1/orgs/current/webhooks", { url: `https://example.com/${name}` });
  await db`update webhooks set disabled_at = svc_now(), disabled_reason = 'gone' where org_id = ${org.orgId} and url like '%two'`;
  await db`update webhooks set failing_since = svc_now() where org_id = ${org.orgId} and url like '%three'`;
  const hooks = (query: string) => items(`/v1/orgs/current/webhooks?cursor=&${query}`, "url");
  expect(await hooks("q=/ONE")).toEqual(["https://example.com/one"]);
  expect(await hooks("state=active")).toEqual(["https://example.com/one"]);
  expect(await hooks("state=failing")).toEqual(["https://example.com/three"]);
  expect(await hooks("state=disabled&q=one")).toEqual([]);
  const wrong = await org.api("GET /v1/orgs/current/webhooks?state=asleep");
  expect([wrong.status, wrong.body.errors?.[0]?.pointer]).toEqual([422, "?state"]);

  const { "greet.toml": _, ...others } = shopConfig.actions;
  const next = await org.sync({ ...shopConfig, actions: others });
  const configs = (status: string) =>
    items(`/v1/apps/${org.appId}/configs?cursor=&status=${status}`, "id");
  expect(await configs("active")).toEqual([next.body.id]);
  expect(await configs("outdated")).toEqual([org.configId]);

  const { installId } = await givenInstall(org);
  const other = await givenInstall(org, { name: "other" });
  const run = await org.run(installId, "careful");
  await org.reach(run.body.workflow_id, "approval-awaiting");
  const approvals = (owner: string) =>
    items(`/v1/workflows/pending-approvals?cursor=&owner_id=${owner}`, "workflow_id");
  expect(await approvals(installId)).toEqual([run.body.workflow_id]);
  expect(await approvals(other.installId)).toEqual([]);
  expect(await items("/v1/orgs?q=nothing-like-it", "id")).toEqual([]);
});
