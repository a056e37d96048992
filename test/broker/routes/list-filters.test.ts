import { expect, test } from "vitest";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

type Part = { readonly url: string }[];
type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
};
type Document = { readonly paths: Readonly<Record<string, { readonly get?: Operation }>> };
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

test("which part of a list is said by page, by offset or by cursor", async () => {
  const org = await setup();
  const hook = (name: string) => `https://example.com/${name}`;
  for (const name of ["one", "two", "three"])
    await org.api("POST /v1/orgs/current/webhooks", { url: hook(name) });
  const part = async (query: string) => {
    const { body, headers } = await org.api<Part>(`GET /v1/orgs/current/webhooks?${query}`);
    return [body.map(({ url }) => url), headers.get("x-svc-page-next")];
  };
  expect(await part("page=0&limit=2")).toEqual([[hook("three"), hook("two")], "true"]);
  expect(await part("page=1&limit=2")).toEqual([[hook("one")], "false"]);
  expect(await part("offset=1&limit=1")).toEqual([[hook("two")], "true"]);

  const { installId, runner } = await givenInstall(org);
  const ids = { app_id: org.appId, install_id: installId, runner_id: runner.runnerId };
  const ofIds: Readonly<Record<string, string | undefined>> = ids;
  const { paths } = (await org.api<Document>("GET /openapi.json")).body;
  const lists = Object.entries(paths).flatMap(([path, { get }]) => {
    const names = get?.parameters?.flatMap((one) => (one.in === "query" ? one.name : [])) ?? [];
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ofIds[name] ?? "{}");
    const isOwn = at === "/v1/account/invites"; // of an account, and the token has none
    const isList = names.includes("page") && names.includes("cursor") && !isOwn;
    return isList && !at.includes("{}") ? [at] : [];
  });
  expect(lists.length).toBeGreaterThan(20);
  for (const path of lists) {
    const got = async (query: string) => {
      const { status, body, headers } = await org.api(`GET ${path}?${query}`);
      const isArray = Array.isArray(body);
      const offset = headers.get("x-svc-page-offset");
      return status === 200 ? [isArray, offset] : [status, body.errors?.[0]?.pointer];
    };
    const isOfRunners = path.endsWith("/jobs");
    expect([path, await got("page=2&limit=3")]).toEqual([path, [true, isOfRunners ? null : "6"]]);
    expect([path, await got("offset=2&limit=3")]).toEqual([path, [true, isOfRunners ? null : "2"]]);
    expect([path, await got("cursor=")]).toEqual([path, [false, null]]);
    expect(await got("page=0&offset=2&limit=3")).toEqual([true, isOfRunners ? null : "2"]);
    expect(await got("page=0&offset=0&limit=3")).toEqual([true, isOfRunners ? null : "0"]);
    const wrongs = ["page=1&cursor=", "page=1&offset=1", "page=500001&limit=2"];
    for (const wrong of isOfRunners ? [] : wrongs)
      expect([path, wrong, await got(wrong)]).toEqual([path, wrong, [422, "?page"]]);
    const none = isOfRunners ? [true, null] : [422, "?limit"]; // runners have always been let ask for 0
    expect([path, await got("limit=0")]).toEqual([path, none]);
  }
});
