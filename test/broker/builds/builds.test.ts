import { expect, test } from "vitest";
import type { ComponentBuild } from "../../../shared/api/builds.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { type BuildEnd, type BuildPlan, digestOf } from "../../support/builds/given-builder.ts";
import {
  built,
  givenShopOf,
  shopConfig as config,
  shopRepo as repo,
} from "../../support/builds/given-shop.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://registry.example.com:5000/acme" },
});

const givenShop = (ends?: (plan: BuildPlan, type: string) => BuildEnd) => givenShopOf(setup, ends);
type Builds = Awaited<ReturnType<typeof givenShop>>;

test("a component is built on the org's runner, and its build has the artifact by its digest", async () => {
  const plans: BuildPlan[] = [];
  const shop = await givenShop((plan) => {
    plans.push(plan);
    return built(plan);
  });
  const { orgId, appId, ids, builder } = shop;
  const begun = await shop.build("db", { git_ref: "v2" });
  expect(begun).toMatchObject({
    status: 201,
    body: { status: "planning", component_name: "db", git_ref: "v2", component_config_version: 1 },
  });
  const { id } = begun.body;
  expect(await shop.ended(id, "active")).toMatchObject({
    status: "active",
    status_v2: { status: "active" },
    no_op: false,
    source_ref: "0123456789012345678901234567890123456789",
    artifact: {
      repository: `registry.example.com:5000/acme/${orgId}/${appId}/${ids["db"] ?? ""}`,
      tag: id,
      digest: digestOf("a"),
      size: 1234,
    },
  });
  expect(builder.types).toEqual(["terraform-module-build"]);
  expect(plans).toEqual([
    {
      component_id: ids["db"],
      component_build_id: id,
      git_source: { url: repo.repo, ref: "v2", path: repo.directory },
      terraform_build_plan: { labels: {}, terraform_version: "1.9.0" },
      dst_registry: {
        registryType: "private_oci",
        loginServer: "registry.example.com:5000",
        repository: `acme/${orgId}/${appId}/${ids["db"] ?? ""}`,
        plain_http: true,
      },
      dst_tag: id,
    },
  ]);
  const again = await shop.build("db");
  expect(await shop.ended(again.body.id, "active")).toMatchObject({ no_op: true });
  expect((await shop.api(`GET ${shop.at("db")}/latest`)).body).toMatchObject({ id: again.body.id });
});

test("a build that pushed nothing, of a source or of an image, has the tag that there is", async () => {
  for (const kept of [{ unchanged: true }, { no_op: true }]) {
    let count = 0;
    const shop = await givenShop((plan) => {
      const { outputs } = built(plan);
      count += 1;
      return { outputs: { ...outputs, ...(count > 1 && kept) } };
    });
    const first = await shop.build("cache");
    await shop.ended(first.body.id, "active");
    const again = await shop.build("cache");
    expect(await shop.ended(again.body.id, "active")).toMatchObject({
      no_op: true,
      artifact: { tag: first.body.id },
    });
  }
});

test("all components are built side by side, and one that fails ends its workflow, which is resumed with that alone", async () => {
  let isBroken = true;
  const shop = await givenShop((plan, type) =>
    isBroken && type === "helm-chart-build"
      ? { failure: { class: "not_found", message: "There is no chart web." } }
      : built(plan),
  );
  const { api, appId, builder } = shop;
  const all = await api<ComponentBuild[]>(`POST /v1/apps/${appId}/components/build-all`, {});
  expect(all.status).toBe(201);
  const workflowId = all.body[0]?.workflow_id ?? "";
  const failed = await shop.reach(workflowId, "error", "failed-pending-retry");
  expect(failed).toMatchObject({
    status: { status: "error" },
    owner_type: "apps",
    owner_name: "shop",
    composite_error: { code: "job_failed", detail: "There is no chart web." },
  });
  const lists = await api<ComponentBuild[]>(`GET /v1/builds?app_id=${appId}`);
  expect(
    lists.body.map(({ component_name, status }) => `${component_name} ${status}`).sort(),
  ).toEqual(["cache active", "db active", "web error"]);
  isBroken = false;
  expect((await api(`POST /v1/workflows/${workflowId}/resume`)).status).toBe(201);
  await shop.reach(workflowId, "success");
  expect(builder.types.filter((type) => type === "terraform-module-build")).toHaveLength(1);
  const after = await api<ComponentBuild[]>(`GET ${shop.at("web")}`);
  expect(after.body.map(({ status }) => status)).toEqual(["active", "error"]);
});

test("a registry that cannot be reached is tried again, and the same build becomes active", async () => {
  let tries = 0;
  const shop = await givenShop((plan) => {
    tries += 1;
    return tries === 1
      ? { failure: { class: "network", message: "The registry does not answer." } }
      : built(plan);
  });
  const { body } = await shop.build("cache");
  await until(async () => {
    const waits = await shop.db`
      update workflow_steps set deadline_at = svc_now()
       where workflow_id = ${body.workflow_id} and status = 'pending' and retry_index = 1`;
    return waits.count === 1;
  });
  await shop.db`select wake_workflow(${shop.orgId}, ${body.workflow_id})`;
  expect(await shop.ended(body.id, "active", "error")).toMatchObject({ status: "active" });
});

test("a build is cancelled, and those that were asked for with it go on", async () => {
  const shop = await givenShop((plan, type) =>
    type === "terraform-module-build" ? { isHeld: true } : built(plan),
  );
  const { api, appId, builder } = shop;
  await api(`POST /v1/apps/${appId}/components/build-all`, {});
  const builds = await api<ComponentBuild[]>(`GET /v1/builds?app_id=${appId}`);
  const find = (name: string) => builds.body.find((one) => one.component_name === name);
  await until(async () => builder.held.length === 1);
  const path = `${shop.at("db")}/${find("db")?.id ?? ""}`;
  expect((await api(`POST ${path}/cancel`)).status).toBe(202);
  await builder.release(builder.held[0] as never, {}); // it is held
  await shop.ended(find("web")?.id ?? "", "active");
  await until(async () => (await api<ComponentBuild>(`GET ${path}`)).body.status !== "building");
  expect(await api(`POST ${path}/cancel`)).toMatchObject({
    status: 409,
    body: { code: "build_final" },
  });
});

test("a job that ends well and tells nothing of an artifact makes no build", async () => {
  const shop = await givenShop(() => ({ outputs: { name: "none" } }));
  const { body } = await shop.build("db");
  expect(await shop.ended(body.id, "active", "error")).toMatchObject({
    status: "error",
    composite_error: { title: "The build made nothing" },
  });
});

test("without a runner of the org, and without a registry, a build ends with what is to be done", async () => {
  const org = await setup(config);
  const { api, appId } = org;
  const { body: configs } = await api<{ id: string }[]>(`GET /v1/apps/${appId}/configs`);
  const begun = await api<WholeWorkflow>(
    `POST /v1/apps/${appId}/configs/${configs[0]?.id ?? ""}/build`,
  );
  expect(begun).toMatchObject({ status: 201, body: { type: "app_config_build" } });
  expect(await org.reach(begun.body.id, "error")).toMatchObject({
    composite_error: { code: "runner_unavailable", title: "There is no runner for builds" },
  });
});

test("another org, a token of an install, and who may only read build nothing", async () => {
  const shop: Builds = await givenShop();
  const other = await setup(config);
  const { body } = await shop.build("db");
  await shop.ended(body.id, "active");
  for (const path of [`/v1/builds/${body.id}`, shop.at("db"), `${shop.at("db")}/${body.id}`])
    expect((await other.api(`GET ${path}`)).status).toBe(404);
  expect((await other.api(`POST ${shop.at("db")}`, {})).status).toBe(404);
  expect((await other.api<unknown[]>("GET /v1/builds")).body).toEqual([]);
  const reader = await givenToken(shop.db, { orgId: shop.orgId, role: "org_read_only" });
  const [{ call }] = shop.brokers as [(typeof shop.brokers)[number]];
  expect((await call(`POST ${shop.at("db")}`, { token: reader, body: {} })).status).toBe(403);
  expect((await call(`GET /v1/builds/${body.id}`, { token: reader })).status).toBe(200);
});

test("what a request says twice, or of no form, is refused with its member", async () => {
  const shop = await givenShop();
  expect(await shop.build("db", { git_ref: "v1", use_latest: true })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "#/use_latest", code: "given_twice" }] },
  });
  for (const git_ref of ["--upload-pack=x", "a b", "x".repeat(256)])
    expect(await shop.build("db", { git_ref })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/git_ref" }] },
    });
});
