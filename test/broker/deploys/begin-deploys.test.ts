import { expect, test } from "vitest";
import type { InstallComponent } from "../../../shared/api/install-components.ts";
import type { InstallDeploy } from "../../../shared/api/install-deploys.ts";
import type { Install } from "../../../shared/api/install.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { givenDeploy } from "../../support/deploys/given-deploy.ts";
import { givenDeployable } from "../../support/deploys/given-deploys.ts";
import { givenWorkflowsApi, type Refused } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

type Begun = Refused & { readonly workflow_id: string };
type Shop = Awaited<ReturnType<typeof givenDeployable>>;

const begin = (shop: Shop, what: string, body: object = {}) =>
  shop.api<Begun>(`POST ${shop.at}/${what}`, body);

/** What the workflow was made with. */
async function workflowOf(id: string) {
  const [row] = await db<Pick<WholeWorkflow, "type" | "role" | "plan_only">[]>`
    select w.type, w.params, w.role, w.plan_only from workflows w where w.id = ${id}`;
  return row;
}

test("a component is deployed by the newest build, or by one that is named, with a workflow", async () => {
  const shop = await givenDeployable(setup);
  const { api, at, ids } = shop;
  const begun = await api<InstallDeploy>(`POST ${at}/components/db/deploys`, { role: "ops" });
  expect(begun).toMatchObject({
    status: 201,
    body: {
      component_id: ids["db"],
      component_name: "db",
      install_deploy_type: "apply",
      status: "pending",
      role: "ops",
      build_id: "",
    },
  });
  expect(await workflowOf(begun.body.workflow_id)).toMatchObject({
    type: "manual_deploy",
    role: "ops",
    params: { component_id: ids["db"], component_name: "db", deploy_id: begun.body.id },
  });
  const build = await shop.build("cache");
  const body = { build_id: build, deploy_dependents: true, plan_only: true };
  const ofBuild = await api<InstallDeploy>(`POST ${at}/deploys`, body);
  expect(ofBuild).toMatchObject({
    status: 201,
    body: {
      component_name: "cache",
      component_type: "external_image",
      install_deploy_type: "sync-image",
      build_id: build,
      plan_only: true,
    },
  });
  expect(await workflowOf(ofBuild.body.workflow_id)).toMatchObject({
    plan_only: true,
    params: { build_id: build, deploy_dependents: true },
  });
  const recovered = await begin(shop, "components/db/deploys", { type: "recover" });
  expect(recovered.body).toMatchObject({ install_deploy_type: "apply", is_recovery: true });
});

test("no deploy begins of what the install has not, of another component's build, or of none that is there", async () => {
  const shop = await givenDeployable(setup);
  const { api, appId, at } = shop;
  await api(`POST /v1/apps/${appId}/components`, { name: "later" });
  const ofWeb = await shop.build("web");
  const broken = await shop.build("db", "error");
  const refusals = await Promise.all([
    begin(shop, "components/later/deploys"),
    begin(shop, "components/extra/deploys"),
    begin(shop, "components/db/deploys", { build_id: ofWeb }),
    begin(shop, "components/db/deploys", { build_id: broken }),
    begin(shop, "deploys", { build_id: "bld_01k9zq5v3t8w2x4y6z8a0b2c4d" }),
    begin(shop, "deploys"),
  ]);
  expect(
    refusals.map(({ status, body }) => [status, body.code, body.errors?.[0]?.pointer]),
  ).toEqual([
    [404, "component_not_found", undefined],
    [409, "component_disabled", undefined],
    [422, "invalid", "#/build_id"],
    [409, "build_not_active", undefined],
    [422, "invalid", "#/build_id"],
    [422, "invalid", "#/build_id"],
  ]);
  expect((await api<unknown[]>(`GET ${at}/workflows`)).body).toEqual([]);
});

test("what others need stays while they are deployed, unless it is forced", async () => {
  const shop = await givenDeployable(setup);
  await givenDeploy(db, shop.of, { component: "db" });
  await givenDeploy(db, shop.of, { component: "web" });
  const refused = await begin(shop, "components/db/teardown");
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "component_in_use", components: ["web"] },
  });
  const forced = await begin(shop, "components/db/teardown", { force: true });
  expect(await workflowOf(forced.body.workflow_id)).toMatchObject({
    type: "teardown_component",
    params: { component_name: "db", force: true },
  });
  expect((await begin(shop, "components/web/teardown")).status).toBe(201);
});

test("all components are deployed and torn down by one workflow each", async () => {
  const shop = await givenDeployable(setup);
  const all = await begin(shop, "components/deploy-all", { plan_only: true });
  expect(await workflowOf(all.body.workflow_id)).toMatchObject({
    type: "deploy_components",
    plan_only: true,
  });
  const none = await begin(shop, "components/teardown-all");
  expect(none).toMatchObject({ status: 409, body: { code: "no_components" } });
  await givenDeploy(db, shop.of, { component: "db" });
  const down = await begin(shop, "components/teardown-all");
  expect(await workflowOf(down.body.workflow_id)).toMatchObject({ type: "teardown_components" });
  const plain = await setup();
  const { body: install } = await plain.create({ start: false });
  const refused = await plain.api(`POST /v1/installs/${install.id}/components/deploy-all`, {});
  expect(refused).toMatchObject({ status: 409, body: { code: "no_components" } });
});

test("a component is switched on with the workflow that deploys it, and the install's config says so", async () => {
  const shop = await givenDeployable(setup);
  const { api, at } = shop;
  const toggles = async () =>
    (await api<Install>(`GET ${at}`)).body.install_config.component_toggles;
  expect((await begin(shop, "components/db/toggle", { enabled: false })).body.code).toBe(
    "not_toggleable",
  );
  const planned = await begin(shop, "components/extra/toggle", { enabled: true, plan_only: true });
  expect(planned.status).toBe(201);
  expect(await toggles()).toEqual({});
  const on = await begin(shop, "components/extra/toggle", { enabled: true });
  expect(await workflowOf(on.body.workflow_id)).toMatchObject({ type: "component_enabled" });
  expect(await toggles()).toEqual({ extra: true });
  expect((await api<InstallComponent>(`GET ${at}/components/extra`)).body.enabled).toBe(true);
  const off = await begin(shop, "components/extra/toggle", { enabled: false });
  expect(await workflowOf(off.body.workflow_id)).toMatchObject({ type: "component_disabled" });
  expect(await toggles()).toEqual({ extra: false });
});

test("a component is forgotten only while nothing works on the install", async () => {
  const shop = await givenDeployable(setup);
  const { api, at } = shop;
  await givenDeploy(db, shop.of, { component: "db", hasDrift: true });
  const open = await begin(shop, "components/deploy-all");
  expect((await begin(shop, "components/db/forget")).body.code).toBe("workflow_open");
  await db`update workflows set status = 'cancelled', finished_at = svc_now() where id = ${open.body.workflow_id}`;
  const forgotten = await api<InstallComponent>(`POST ${at}/components/db/forget`, {});
  expect(forgotten).toMatchObject({ status: 200, body: { status: "", deployed_id: null } });
  expect(forgotten.body).not.toHaveProperty("drifted_object");
});

test("a sandbox is deprovisioned once nothing is deployed in it", async () => {
  const shop = await givenDeployable(setup);
  expect((await begin(shop, "deprovision-sandbox")).body.code).toBe("never_provisioned");
  await db`update installs set lifecycle_phase = 'active' where id = ${shop.installId}`;
  await givenDeploy(db, shop.of, { component: "db" });
  expect(await begin(shop, "deprovision-sandbox")).toMatchObject({
    status: 409,
    body: { code: "components_deployed", components: ["db"] },
  });
  await db`update install_components set deployed_id = null where install_id = ${shop.installId}`;
  const gone = await begin(shop, "deprovision-sandbox");
  expect(await workflowOf(gone.body.workflow_id)).toMatchObject({ type: "deprovision_sandbox" });
  const again = await begin(shop, "reprovision-sandbox", { skip_components: true });
  expect(await workflowOf(again.body.workflow_id)).toMatchObject({
    type: "reprovision_sandbox",
    params: { skip_components: true },
  });
  const plain = await setup();
  const { body: install } = await plain.create({ start: false });
  await db`update installs set lifecycle_phase = 'active' where id = ${install.id}`;
  const none = await plain.api(`POST /v1/installs/${install.id}/reprovision-sandbox`, {});
  expect(none.body.code).toBe("no_sandbox");
});
