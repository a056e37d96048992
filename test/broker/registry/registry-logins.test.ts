import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { RegistryLogin } from "../../../shared/api/registry-logins.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type BuildPlan, digestOf, givenBuilder } from "../../support/builds/given-builder.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, call, setup, brokers } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "https://registry.example.com", SVC_REGISTRY_AUTH: "fixed" },
});
const config = {
  "metadata.toml": { name: "shop" },
  components: { "web.toml": { name: "web", type: "kubernetes_manifest", manifest: "{}" } },
};
const password = "of the builds' user";

/** An org, what the plan of its build says, and how a build of its component ends. */
async function given() {
  const org = await setup(config);
  const plans: BuildPlan[] = [];
  await givenBuilder(org, (plan) => {
    plans.push(plan);
    return { outputs: { digest: digestOf("a"), media_type: "a/b", size: 1 } };
  });
  const build = async () => {
    const path = `/v1/apps/${org.appId}/components/build-all`;
    const [begun] = (await org.api<ComponentBuild[]>(`POST ${path}`, {})).body;
    let seen = begun;
    await until(async () => {
      seen = (await org.api<ComponentBuild>(`GET /v1/builds/${begun?.id ?? ""}`)).body;
      return ["active", "error"].includes(seen.status);
    });
    return seen;
  };
  const set = async (body: object) =>
    await org.api<RegistryLogin>("POST /v1/registry/logins", body);
  return { org, plans, build, set };
}

test("builds push with the org's login, which is shown to nobody, and without one they say what to do", async () => {
  const { org, plans, build, set } = await given();
  const without = await build();
  expect(without).toMatchObject({
    status: "error",
    composite_error: { code: "build_unavailable" },
  });
  const pull = await set({ use: "pull", username: "reads", password: "other" });
  const first = await set({ use: "push", username: "former", password: "former" });
  const second = await set({ use: "push", username: "builds", password });
  expect([pull.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  expect((await build())?.status).toBe("active");
  expect(plans.at(-1)?.dst_registry).toMatchObject({ ociauth: { username: "builds", password } });
  const listed = await org.api<RegistryLogin[]>("GET /v1/registry/logins");
  expect(JSON.stringify(listed.body)).not.toMatch(/password|former/);
  const [row] = await db<{ is: boolean }[]>`
    select key_id is not null and position(${password}::bytea in password) = 0 as is
      from registry_fixed_logins where id = ${second.body.id}`;
  expect(row?.is).toBe(true);
  expect(brokers[0]?.logged.join("\n")).not.toContain(password);
});

test("who may not write connections changes none, and another org finds none", async () => {
  const { org, set } = await given();
  const { body } = await set({ use: "push", username: "builds", password });
  const builder = await givenToken(db, { orgId: org.orgId, role: "org_builder" });
  const stranger = await setup();
  const path = `/v1/registry/logins/${body.id}`;
  const change = { token: builder, body: { use: "pull", username: "a", password: "b" } };
  expect((await call("POST /v1/registry/logins", change)).status).toBe(403);
  expect((await call(`DELETE ${path}`, { token: builder })).status).toBe(403);
  expect((await stranger.api(`DELETE ${path}`)).status).toBe(404);
  expect((await stranger.api(`GET ${path}`)).status).toBe(404);
  expect((await org.api(`DELETE ${path}`)).status).toBe(200);
  expect((await org.api(`GET ${path}`)).status).toBe(404);
});
