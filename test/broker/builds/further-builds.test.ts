import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { SandboxBuild } from "../../../shared/api/sandbox-builds.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type BuildPlan, digestOf } from "../../support/builds/given-builder.ts";
import { built, givenShopOf, shopConfig, shopRepo } from "../../support/builds/given-shop.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});
const sandbox = { terraform_version: "1.9.0", public_repo: { ...shopRepo, directory: "base" } };

test("after a sync what the config says anew is built, and the sandbox; what failed is left to be built again", async () => {
  const plans: BuildPlan[] = [];
  const shop = await givenShopOf(setup, (plan) => {
    plans.push(plan);
    return built(plan);
  });
  const { api, appId, orgId } = shop;
  const built_ = async () =>
    (await api<ComponentBuild[]>(`GET /v1/builds?app_id=${appId}`)).body.map(
      ({ component_name: name, status }) => `${name} ${status}`,
    );
  const first = await shop.build("db");
  await shop.ended(first.body.id, "active");
  const changed = { ...shopConfig, "sandbox.toml": sandbox };
  expect((await shop.sync(changed)).status).toBe(201);
  let builds: SandboxBuild[] = [];
  await until(async () => {
    builds = (await api<SandboxBuild[]>(`GET /v1/apps/${appId}/sandbox/builds`)).body;
    return builds[0]?.status === "active";
  });
  await until(async () => (await built_()).filter((one) => one.endsWith("active")).length === 3);
  expect((await built_()).sort()).toEqual(["cache active", "db active", "web active"]); // db is as it was
  const [made] = builds;
  expect(made).toMatchObject({
    app_sandbox_config_id: made?.app_config_id,
    artifact: {
      repository: `registry.example.com:5000/acme/${orgId}/${appId}/sandbox`,
      tag: made?.id,
    },
    source_ref: "0123456789012345678901234567890123456789",
  });
  expect(plans.find(({ component_build_id: id }) => id === made?.id)).toMatchObject({
    git_source: { url: shopRepo.repo, ref: "main", path: "base" },
    terraform_build_plan: { terraform_version: "1.9.0" },
  });
  const { body: read } = await api<WholeWorkflow>(`GET /v1/workflows/${made?.workflow_id ?? ""}`);
  expect(read).toMatchObject({ type: "app_config_build", owner_id: appId });
  expect(read.steps.map(({ step_target_type: type }) => type).sort()).toEqual([
    "app_sandbox_builds",
    "component_builds",
    "component_builds",
  ]);
  const count = plans.length;
  expect((await shop.sync(changed)).status).toBe(200); // it is the active one
  const again = await api<SandboxBuild>(`POST /v1/apps/${appId}/sandbox/builds`, {});
  expect(again).toMatchObject({ status: 201, body: { status: "planning" } });
  await until(async () => plans.length === count + 1);
  expect(plans.at(-1)).toMatchObject({ previous: { digest: digestOf("a"), builder: "test/1" } });
});

test("the sandbox is built by itself, by force without what was built before, and is none of another app", async () => {
  const plans: BuildPlan[] = [];
  const shop = await givenShopOf(setup, (plan) => {
    plans.push(plan);
    return plans.length === 1 ? built(plan) : { isHeld: true };
  });
  const { api, appId } = shop;
  const path = `/v1/apps/${appId}/sandbox/builds`;
  expect(await api(`POST ${path}`, {})).toMatchObject({
    status: 409,
    body: { code: "no_sandbox" },
  });
  await shop.sync({ "metadata.toml": { name: "shop" }, "sandbox.toml": sandbox });
  await until(async () => plans.length === 1);
  await until(async () => {
    const { body } = await api<SandboxBuild[]>(`GET ${path}?status=active`);
    return body.length === 1;
  });
  const forced = await api<SandboxBuild>(`POST ${path}`, { force: true, git_ref: "v2" });
  await until(async () => plans.length === 2);
  expect(plans[1]?.["previous"]).toBeUndefined();
  expect(plans[1]).toMatchObject({ git_source: { ref: "v2" } });
  const one = `${path}/${forced.body.id}`;
  expect((await api(`GET /v1/builds/${forced.body.id}`)).status).toBe(404);
  expect((await api<unknown[]>("GET /v1/builds")).body).toEqual([]);
  const other = await setup({ "metadata.toml": { name: "shop" }, "sandbox.toml": sandbox });
  for (const call of [other.api, api]) {
    const theirs = `/v1/apps/${other.appId}/sandbox/builds/${forced.body.id}`;
    expect((await call(`GET ${theirs}`)).status).toBe(404);
    expect((await call(`POST ${theirs}/cancel`)).status).toBe(404);
  }
  expect((await other.api(`POST ${one}/cancel`)).status).toBe(404);
  expect(await api(`POST ${one}/cancel`)).toMatchObject({ status: 202 });
  await until(async () => shop.builder.held.length === 1);
  await shop.builder.release(shop.builder.held[0] as never, {}); // it is held
  await until(async () => (await api<SandboxBuild>(`GET ${one}`)).body.status === "cancelled");
});

test("a newer build of the same takes the place of one that is open, and of no other", async () => {
  let isHeld = true;
  const shop = await givenShopOf(setup, (plan) => (isHeld ? { isHeld } : built(plan)));
  const { builder, api } = shop;
  const older = await shop.build("db");
  const ofTag = await shop.build("db", { git_ref: "v1" });
  await until(async () => builder.held.length >= 1);
  isHeld = false;
  const newer = await shop.build("db");
  const reads = async (id: string) => (await api<ComponentBuild>(`GET /v1/builds/${id}`)).body;
  const [first] = builder.held;
  await until(async () => {
    const path = `GET /v1/runner-jobs/${first?.job.id ?? ""}`;
    return (await api<{ status: string }>(path)).body.status === "cancelled";
  });
  await builder.release(first as never, built({ component_build_id: "x" } as never)); // it is held
  const ended = await shop.ended(older.body.id, "cancelled", "active");
  expect(ended).toMatchObject({ status: "cancelled" });
  expect(ended.status_description).toBe(`the newer build ${newer.body.id} took its place`);
  expect(await shop.reach(older.body.workflow_id, "cancelled")).toMatchObject({
    type: "app_config_build",
  });
  expect((await reads(ofTag.body.id)).status).not.toBe("cancelled");
});

test("builds that were asked for with one whose place a newer takes go on, and end well; a forced one keeps its place", async () => {
  const shop = await givenShopOf(setup);
  const { api, appId, orgId, db } = shop;
  const lane = (await api<{ queue_id: string }>(`GET /v1/apps/${appId}`)).body.queue_id;
  expect((await api(`POST /v1/queues/${lane}/pause`, {})).status).toBe(200);
  const all = await api<ComponentBuild[]>(`POST /v1/apps/${appId}/components/build-all`, {});
  const older = all.body.find(({ component_name: name }) => name === "db");
  const newer = await shop.build("db");
  const forced = await shop.build("web", { force: true });
  await shop.build("web");
  const [left] = await db<{ by: string | null }[]>`
    select newer_build(${orgId}, ${forced.body.id}) as by`;
  expect(left?.by).toBeNull();
  expect((await api(`POST /v1/queues/${lane}/resume`, {})).status).toBe(200);
  expect(await shop.ended(older?.id ?? "", "cancelled", "active")).toMatchObject({
    status: "cancelled",
    status_description: `the newer build ${newer.body.id} took its place`,
  });
  await shop.reach(older?.workflow_id ?? "", "success");
  await shop.ended(newer.body.id, "active");
});

test("where the runner's queue takes fewer jobs than there are builds, all are built in turn", async () => {
  const shop = await givenShopOf(setup);
  const { api, appId, db, orgId, reach } = shop;
  await db`
    update runner_queues set max_depth = 1
     where runner_id = ${shop.builder.runner.runnerId}`;
  const all = await api<ComponentBuild[]>(`POST /v1/apps/${appId}/components/build-all`, {});
  const workflowId = all.body[0]?.workflow_id ?? "";
  await until(async () => {
    await db`
      update workflow_steps set deadline_at = svc_now()
       where workflow_id = ${workflowId} and status = 'pending' and deadline_at > svc_now()`;
    await db`select wake_workflow(${orgId}, ${workflowId})`;
    const { body } = await api<WholeWorkflow>(`GET /v1/workflows/${workflowId}`);
    return body.status.status === "success";
  });
  await reach(workflowId, "success");
});

test("who builds operates the workflows of apps, and none of installs", async () => {
  let isBroken = true;
  const shop = await givenShopOf(setup, (plan) =>
    isBroken ? { failure: { class: "not_found", message: "There is no branch." } } : built(plan),
  );
  const [{ call }] = shop.brokers as [(typeof shop.brokers)[number]];
  const token = await givenToken(shop.db, { orgId: shop.orgId, role: "org_builder" });
  const failed = await shop.build("db");
  const { workflow_id: id } = failed.body;
  await shop.reach(id, "error");
  isBroken = false;
  expect((await call(`POST /v1/workflows/${id}/resume`, { token })).status).toBe(201);
  await shop.reach(id, "success");
  const plain = (await shop.api<{ id: string }>("POST /v1/apps", { name: "plain" })).body.id;
  await shop.api(`POST /v1/apps/${plain}/configs/sync`, { "metadata.toml": { name: "plain" } });
  const path = `POST /v1/apps/${plain}/installs`;
  const install = await shop.api<{ workflow_id: string }>(path, { name: "acme" });
  const ofInstall = install.body.workflow_id;
  expect(await call(`POST /v1/workflows/${ofInstall}/cancel`, { token })).toMatchObject({
    status: 403,
    body: { code: "permission_missing" },
  });
});
