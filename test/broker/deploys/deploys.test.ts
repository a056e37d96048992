import { expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import type { DriftedObject } from "../../../shared/api/drifted-objects.ts";
import type { InstallComponent } from "../../../shared/api/install-components.ts";
import type {
  InstallDeploy,
  InstallSandboxRun,
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../../shared/api/install-deploys.ts";
import type { TestBroker } from "../../support/broker/broker.ts";
import { givenDeploy } from "../../support/deploys/given-deploy.ts";
import { givenDeployable } from "../../support/deploys/given-deploys.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../../support/rows/given.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { brokers, db, call, setup } = await givenWorkflowsApi();
const [{ broker }] = brokers as [TestBroker];
const shop = await givenDeployable(setup);
const { api, at, ids, of } = shop;
const buildId = await shop.build("db");
const first = await givenDeploy(db, of, { component: "db", buildId, hasDrift: true });
const failed = await givenDeploy(db, of, { component: "web", status: "error" });
const removed = await givenDeploy(db, of, {
  component: "cache",
  type: "teardown",
  status: "inactive",
});
const run = await givenDeploy(db, of, {});
const applying = await givenDeploy(db, of, { type: "reprovision", status: "applying" });

const namesOf = async (query: string) =>
  (await api<InstallComponent[]>(`GET ${at}/components${query}`)).body.map(
    ({ component_name }) => component_name,
  );

test("the components of an install are listed with what is deployed of them, and found by what they are", async () => {
  const { status, body } = await api<InstallComponent[]>(`GET ${at}/components`);
  expect(status).toBe(200);
  expect(body.map(({ component_name }) => component_name)).toEqual(["cache", "db", "extra", "web"]);
  const [cache, whole, extra] = body;
  expect(whole).toMatchObject({
    component_id: ids["db"],
    component_type: "terraform_module",
    component: { name: "db", type: "terraform_module" },
    synced: true,
    status: "active",
    deployed_id: first.id,
    latest_id: first.id,
    install_deploys: [{ id: first.id, build_id: buildId }],
    drifted_object: { target_id: first.id, component_build_id: buildId },
    terraform_workspace: { owner_type: "installs", owner_id: shop.installId },
  });
  expect(cache).toMatchObject({ status: "inactive", status_v2: { status: "success" } });
  expect(extra).toMatchObject({ enabled: false, status: "", deployed_id: null });
  expect(whole).not.toHaveProperty("enabled");
  expect(await namesOf("?q=b")).toEqual(["db", "web"]);
  expect(await namesOf("?types=external_image,helm_chart")).toEqual(["cache", "web"]);
  expect(await namesOf("?labels=tier:data")).toEqual(["db"]);
  expect(await namesOf("?synced=false")).toEqual([]);
  expect(await namesOf("?limit=2&offset=1")).toEqual(["db", "extra"]);
  for (const which of ["db", ids["db"] ?? ""]) {
    const one = await api<InstallComponent>(`GET ${at}/components/${which}`);
    expect(one.body).toEqual(whole);
  }
});

test("deploys are listed and read, of an install and of each component", async () => {
  const list = await api<InstallDeploy[]>(`GET ${at}/deploys`);
  expect(list.body.map(({ id }) => id)).toEqual([removed.id, failed.id, first.id]);
  expect((await api(`GET ${at}/components/deploys`)).body).toEqual(list.body);
  expect((await api<InstallDeploy[]>(`GET ${at}/deploys?status=error`)).body).toHaveLength(1);
  const none = { runner_jobs: [], action_workflow_runs: [], outputs: {} };
  expect((await api(`GET ${at}/deploys/latest`)).body).toEqual({ ...list.body[0], ...none });
  const whole = { ...list.body[2], outputs: {}, component_build: { id: buildId } };
  expect((await api(`GET ${at}/deploys/${first.id}`)).body).toMatchObject(whole);
  expect(list.body[2]).toMatchObject({
    install_component_id: first.targetId,
    component_name: "db",
    component_config_version: 1,
    install_deploy_type: "apply",
    status: "active",
    changes: { added: 2, changed: 1, replaced: 0, removed: 0 },
    oci_artifact: { digest: "sha256:abc" },
  });
  const ofDb = await api<InstallDeploy[]>(`GET ${at}/components/db/deploys`);
  expect(ofDb.body).toEqual([list.body[2]]);
  expect((await api(`GET ${at}/components/db/deploys/latest`)).body).toMatchObject(whole);
  expect((await api(`GET ${at}/components/db/deploys/${first.id}`)).body).toMatchObject(whole);
  expect((await api(`GET ${at}/components/db/deploys/${failed.id}`)).body.code).toBe(
    "deploy_not_found",
  );
  expect((await api(`GET ${at}/components/extra/deploys/latest`)).body.code).toBe(
    "deploy_not_found",
  );
});

test("runs of the sandbox are no deploys, and are told in words of their own", async () => {
  const list = await api<InstallSandboxRun[]>(`GET ${at}/sandbox-runs`);
  expect(list.body).toMatchObject([
    { id: applying.id, run_type: "reprovision", status: "provisioning" },
    { id: run.id, run_type: "provision", status: "active", install_sandbox_id: run.targetId },
  ]);
  expect(list.body[0]?.status_v2.status).toBe("applying");
  const none = { runner_jobs: [], action_workflow_runs: [], outputs: {} };
  const whole = { ...list.body[1], ...none, app_sandbox_config: { type: "terraform" } };
  expect((await api(`GET ${at}/sandbox-runs/${run.id}`)).body).toMatchObject(whole);
  expect((await api(`GET /v1/installs/sandbox-runs/${run.id}`)).body).toMatchObject(whole);
});

test("what differs from what was deployed is told", async () => {
  expect((await api<DriftedObject[]>(`GET ${at}/drifted-objects`)).body).toMatchObject([
    {
      target_type: "install_deploys",
      target_id: first.id,
      component_name: "db",
      install_component_id: first.targetId,
      added: 1,
      changed: 2,
      removed: 0,
    },
  ]);
});

test("outputs are those of what is deployed: none before, and none of what has none", async () => {
  for (const name of ["db", "extra"])
    expect((await api(`GET ${at}/components/${name}/outputs`)).body).toEqual({});
});

test("long outputs are told whole", async () => {
  const other = await givenDeployable(setup);
  const [job, execution] = [newId("job"), newId("exe")];
  const outputs = { pad: "x".repeat(400_000), n: 1 };
  const { orgId } = other.of;
  const sealed = { orgId, id: execution, part: "outputs" } as const;
  const { keyId, bytes } = broker.seals.seal(sealed, Buffer.from(JSON.stringify(outputs)));
  await db`
    insert into runner_job_ends (runner_job_id, org_id, status, execution_count, final_execution_id, created_at, finished_at)
    values (${job}, ${orgId}, 'finished', 1, ${execution}, svc_now(), svc_now())`;
  await db`
    insert into runner_job_execution_outputs (execution_id, org_id, id, key_id, sealed_outputs, fingerprint, created_at)
    values (${execution}, ${orgId}, ${execution}, ${keyId}, ${bytes}, ${Buffer.from("f")}, svc_now())`;
  const { id } = await givenDeploy(db, other.of, { component: "db", outputsJobId: job });
  const { id: runId } = await givenDeploy(db, other.of, { outputsJobId: job });
  for (const path of [`deploys/${id}`, "components/db/deploys/latest", `sandbox-runs/${runId}`])
    expect((await other.api(`GET ${other.at}/${path}`)).body).toMatchObject({ outputs });
  expect((await other.api(`GET ${other.at}/components/db/outputs`)).body).toEqual(outputs);
});

test("another org, and a token that is bound to another install, find nothing of it", async () => {
  const theirs = await setup();
  const paths = [
    "components",
    "components/db",
    "deploys",
    `deploys/${first.id}`,
    "sandbox-runs",
    "drifted-objects",
  ];
  for (const path of paths) expect((await theirs.api(`GET ${at}/${path}`)).status).toBe(404);
  const bound = async (id: string) => {
    const to = { bound_type: "installs", bound_id: id };
    const wanted = { name: "b", kind: "it", role: "installer", ...to };
    return (await api<{ secret: string }>("POST /v1/tokens", wanted)).body.secret;
  };
  const [own, foreign] = [await bound(shop.installId), await bound(shop.otherId)];
  for (const path of [
    ...paths.map((one) => `${at}/${one}`),
    `/v1/installs/sandbox-runs/${run.id}`,
  ]) {
    expect((await call(`GET ${path}`, { token: own })).status).toBe(200);
    expect((await call(`GET ${path}`, { token: foreign })).status).toBe(404);
  }
});

test("what else is shown of a deploy or a run is what its reader could read by itself", async () => {
  const runner = await givenRunner(db, { orgId: shop.orgId });
  const { jobId, executionId } = await givenExecution(db, runner, {
    processId: await givenProcess(db, runner),
  });
  const told = { success: false, composite_error: { type: "terraform.state_lock" } };
  await report(db, runner, { executionId, status: "failed", result: told });
  await db`update install_deploys set plan_job_id = ${jobId} where id = any(${[first.id, run.id]})`;
  const alone = await api<{ executions?: unknown }>(`GET /v1/runner-jobs/${jobId}`);
  const { executions: _, ...job } = alone.body;
  const whole = await api<WholeInstallDeploy>(`GET ${at}/deploys/${first.id}`);
  const [embedded] = whole.body.runner_jobs ?? [];
  const { status_v2: __, ...same } = embedded ?? { none: true, status_v2: {} }; // which has its history, where it is read alone
  expect(job).toMatchObject(same);
  expect(embedded?.composite_error).toHaveProperty("source_id", jobId);
  expect(whole.body.log_stream).toMatchObject({ owner_id: jobId });
  const seenBy = async (bound: object): Promise<string[]> => {
    const wanted = { name: newId("tok"), kind: "it", role: "installer", ...bound };
    const { secret: token } = (await api<{ secret: string }>("POST /v1/tokens", wanted)).body;
    const { body } = await call<Partial<WholeInstallSandboxRun>>(
      `GET ${at}/sandbox-runs/${run.id}`,
      { token },
    );
    const { runner_jobs: jobs = [], log_stream, app_sandbox_config: config } = body;
    return [
      ...jobs.map(({ id }) => id),
      ...(log_stream ? ["log"] : []),
      ...(config ? ["config"] : []),
    ];
  };
  // The job is of a runner that neither reaches, and the app's config is no business of an install's own token.
  expect(await seenBy({ bound_type: "apps", bound_id: shop.appId })).toEqual(["config"]);
  expect(await seenBy({ bound_type: "installs", bound_id: shop.installId })).toEqual([]);
});
