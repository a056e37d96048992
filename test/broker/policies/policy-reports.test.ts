import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { PolicyReport } from "../../../shared/api/policy-reports.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenBuilder } from "../../support/builds/given-builder.ts";
import {
  configOf,
  givenPolicies,
  made,
  policy,
  unsigned,
} from "../../support/policies/given-policies.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";
import { findTool } from "../../tools/find-tool.ts";

const { setup, call } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "https://registry.example.com", SVC_OPA: findTool("opa") ?? "" },
});
const given = (config: object) => givenPolicies(setup, config);

describeWithTools(["opa"], "reports of policies", () => {
  test("reports are listed by what they are about, exported, counted over time, and nobody else's", async () => {
    const formula = policy("formula", 'warn contains "=1+1"');
    const shop = await given(configOf(unsigned, formula));
    const { appId, api } = shop;
    const build = await shop.build("cache", "policy_failed");
    const other = await shop.build("other", "active");
    const all = await shop.reports(`app_id=${appId}`);
    expect(all.map(({ owner_id }) => owner_id)).toEqual([other.id, build.id]);
    const id = all[1]?.id ?? "";
    expect((await shop.reports(`owner_id=${build.id}&owner_type=component_builds`)).length).toBe(1);
    expect((await shop.reports("verdict=deny")).map((one) => one.id)).toEqual([id]);
    expect(await shop.reports("verdict=error")).toEqual([]);
    expect((await shop.reports("status=error")).map((one) => one.id)).toEqual([id]);
    expect((await shop.reports("install_id=ins_none")).length).toBe(0);
    expect((await api(`GET /v1/policy-reports/${id}`)).body).toMatchObject({ id, deny_count: 1 });
    const csv = await api<string>(`GET /v1/policy-reports/${id}/export?format=csv`);
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    expect(csv.body.split("\r\n").slice(1)).toEqual([
      expect.stringMatching(
        /^"plr_.*"signed","deny",.*"docker.io\/library\/redis:7 is not signed"$/,
      ),
      expect.stringMatching(/"formula","warn",.*"'=1\+1"$/),
      "",
    ]);
    expect((await api(`GET /v1/policy-reports/${id}/export`)).body).toMatchObject({ id });
    const analytics = `/v1/apps/${appId}/policy-analytics`;
    expect((await api(`GET ${analytics}/summary`)).body).toMatchObject({
      total_evaluations: 3,
      total_denies: 1,
      total_warns: 2,
      total_passes: 0,
      unique_policies: 2,
      unique_reports: 2,
    });
    expect((await api(`GET ${analytics}/breakdown?dimension=policy`)).body).toMatchObject({
      entries: [
        { key: "signed", evaluations: 1, denies: 1 },
        { key: "formula", evaluations: 2, warns: 2 },
      ],
    });
    expect((await api(`GET ${analytics}/timeseries?group_by=component`)).body).toMatchObject({
      interval: "day",
      group_by: ["component"],
      buckets: [
        {
          evaluations: 3,
          series: [
            { labels: { component: "cache" }, evaluations: 2 },
            { labels: { component: "other" }, evaluations: 1 },
          ],
        },
      ],
    });
    const early = "start=2020-01-01T00:00:00Z&end=2022-01-01T00:00:00Z";
    expect((await api(`GET ${analytics}/summary?${early}`)).status).toBe(422);
    const ofName = all[1]?.policies.find(({ policy_name: name }) => name === "signed");
    const policyId = ofName?.policy_id ?? "";
    expect((await api(`GET /v1/apps/${appId}/policy-config/${policyId}`)).body).toMatchObject({
      id: policyId,
      name: "signed",
      type: "container_image",
    });
    const stranger = await setup(configOf());
    for (const path of [`policy-reports/${id}`, `policy-reports/${id}/export`])
      expect((await stranger.api(`GET /v1/${path}`)).status).toBe(404);
    expect((await stranger.api<PolicyReport[]>("GET /v1/policy-reports")).body).toEqual([]);
    expect((await stranger.api(`GET ${analytics}/summary`)).status).toBe(404);
    const otherApp = await api<{ id: string }>("POST /v1/apps", { name: "other" });
    const seenBy = async (boundId: string) => {
      const wanted = {
        name: "b",
        kind: "it",
        role: "installer",
        bound_type: "apps",
        bound_id: boundId,
      };
      const { secret: token } = (await api<{ secret: string }>("POST /v1/tokens", wanted)).body;
      const listed = await call<PolicyReport[]>("GET /v1/policy-reports", { token });
      return [listed.body.length, (await call(`GET /v1/policy-reports/${id}`, { token })).status];
    };
    expect(await seenBy(appId)).toEqual([2, 200]);
    expect(await seenBy(otherApp.body.id)).toEqual([0, 404]);
  });

  test("a sync is refused with what is wrong in a policy that is new, and told where it is", async () => {
    const shop = await given(configOf(unsigned));
    const bad = policy("bad", "deny contains nothing(1)");
    const refused = await shop.sync(configOf(bad));
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: "invalid",
        errors: [
          {
            file: "policies.toml",
            pointer: "#/policies.toml/policy/0/contents",
            code: "bad_rego",
            detail: "contents of the policy bad, line 2: undefined function nothing",
          },
        ],
      },
    });
  });
});
test("without OPA a sync warns, and what policies judge ends as policy_unavailable, with what to do", async () => {
  const { setup: without } = await givenWorkflowsApi({
    env: { SVC_REGISTRY: "https://registry.example.com", SVC_OPA: "/nowhere/opa" },
  });
  const org = await without(configOf(unsigned));
  await givenBuilder(org, () => made());
  const synced = await org.sync(configOf(unsigned, policy("more", "warn contains 1")));
  expect(synced.body).toMatchObject({
    warnings: [{ file: "policies.toml", code: "policy_unavailable" }],
  });
  const builds = await org.api<ComponentBuild[]>(
    `POST /v1/apps/${org.appId}/components/build-all`,
    {},
  );
  const id = builds.body.find(({ component_name: name }) => name === "cache")?.id ?? "";
  let seen: ComponentBuild | undefined;
  await until(async () => {
    seen = (await org.api<ComponentBuild>(`GET /v1/builds/${id}`)).body;
    return seen.status === "error";
  });
  expect(seen?.composite_error).toMatchObject({ code: "policy_unavailable" });
  expect(seen?.status_description).toContain("There is no OPA at the broker. Install OPA");
});
