import { expect, test } from "vitest";
import type {
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../../shared/api/install-deploys.ts";
import type { InstallRoleUsage } from "../../../shared/api/install-role-usages.ts";
import type { WholeRoleUsage } from "../../../shared/api/list-role-usages.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { WholeStep } from "../../../shared/api/whole-step.ts";
import { givenApplied } from "../../support/deploys/given-applied.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi({
  env: { SVC_REGISTRY: "http://127.0.0.1:9/acme" },
});
const source = { public_repo: { repo: "https://git.example.com/a.git" } };
const greet = {
  name: "greet",
  role: "greeter",
  triggers: [{ type: "pre-deploy-component", component_name: "web" }],
  steps: [{ name: "greet", command: "true" }],
};
const shop = await givenApplied(setup, {
  "metadata.toml": { name: "shop" },
  "permissions.toml": {
    maintenance_role: { name: "keeper" },
    custom_roles: [{ name: "greeter" }, { name: "deployer" }],
  },
  "operation_roles.toml": {
    rules: [{ operation: "deploy", principal: "component:web", role: "deployer" }],
  },
  "sandbox.toml": source,
  components: { "web.toml": { name: "web", type: "terraform_module", ...source } },
  actions: { "greet.toml": greet },
});
const { api, id, orgId, ended, begin } = shop;
const provisioned = await ended(shop.provision);
const list = async (query = "", token = shop.token) =>
  (await call<WholeRoleUsage[]>(`GET /v1/installs/${id}/roles/usages?limit=100${query}`, { token }))
    .body;
const traceOf = ({ role_selection_trace: trace }: InstallRoleUsage) =>
  trace.map((one) => `${one.role_source} ${one.role_name} ${one.available} ${one.selected}`);
const runner = "runner  true true";
const deployer = ["matrix deployer false false", "default keeper false false", runner];

test("each job of an install says that it runs as its runner, and which roles of the config are not there", async () => {
  expect(provisioned.status.status).toBe("success");
  const usages = await list();
  const jobs = await db<{ id: string }[]>`
    select j.id from runner_jobs j where j.org_id = ${orgId} and j.workflow_id = ${shop.provision} order by j.id desc`;
  expect(jobs).toHaveLength(5); // plan and apply of the sandbox, the action, plan and apply of the component
  expect(usages.map((one) => one.runner_job_id)).toEqual(jobs.map((job) => job.id));
  expect(new Set(usages.map((one) => one.id.slice(0, 4)))).toEqual(new Set(["iru_"]));
  expect(usages.map(traceOf)).toEqual([
    deployer,
    deployer,
    ["entity greeter false false", "default keeper false false", runner],
    ["default provision false false", runner],
    ["default provision false false", runner],
  ]);
  for (const usage of usages)
    expect(usage).toMatchObject({
      install_id: id,
      install_role_id: "",
      role_name: "",
      role_source: "runner",
      runner_job: { id: usage.runner_job_id },
      workflow: { id: shop.provision, type: "provision" },
    });
  expect(await list("&role_name=keeper")).toEqual([]);
  expect(await list("&offset=4")).toEqual(usages.slice(4));
});

test("a job, a step, a deploy and a run of the sandbox say it when they are read", async () => {
  const [{ runner_job: _job, workflow: _workflow, ...usage }] = (await list()) as [WholeRoleUsage];
  const job = (await api<RunnerJob>(`GET /v1/runner-jobs/${usage.runner_job_id}`)).body;
  expect(job.install_role_usage).toEqual(usage);
  const at = `GET /v1/workflows/${shop.provision}/steps/${usage.workflow_step_id}`;
  expect((await api<WholeStep>(at)).body.install_role_usage).toEqual(usage);
  const deploy = (await api<WholeInstallDeploy>(`GET /v1/installs/${id}/deploys/latest`)).body;
  expect(deploy.install_role_usage).toEqual(usage);
  expect(deploy.runner_jobs?.map((one) => one.install_role_usage?.runner_job_id)).toEqual([
    deploy.apply_job_id,
    deploy.plan_job_id,
  ]);
  const [run] = (await api<{ id: string }[]>(`GET /v1/installs/${id}/sandbox-runs`)).body;
  const whole = await api<WholeInstallSandboxRun>(
    `GET /v1/installs/${id}/sandbox-runs/${run?.id ?? ""}`,
  );
  expect(whole.body.install_role_usage?.role_source).toBe("runner");
  const [{ runner_id }] = (await db`
    select j.runner_id from runner_jobs j where j.id = ${job.id}`) as [{ runner_id: string }];
  const token = await givenToken(db, { orgId, runnerId: runner_id, role: "runner" });
  const asRunner = await call<RunnerJob>(`GET /v1/runner-jobs/${job.id}`, { token });
  expect(asRunner.body.install_role_usage).toBeNull(); // as agents of all versions read it
  const plain = await api<RunnerJob>(`POST /v1/runners/${runner_id}/jobs`, { type: "noop" });
  const read = await api<RunnerJob>(`GET /v1/runner-jobs/${plain.body.id}`);
  expect([read.status, read.body.install_role_usage]).toEqual([200, undefined]);
});

test("who may not read jobs or workflows is shown none beside it, and another org nothing at all", async () => {
  const theirs = await givenToken(db, { orgId: await givenOrg(db), role: "org_admin" });
  const path = `GET /v1/installs/${id}/roles/usages`;
  expect((await call(path, { token: theirs })).status).toBe(404);
  const role = await api<{ id: string }>("POST /v1/roles", {
    title: "Narrow",
    role_type: "org_read_only",
    policies: [{ name: "installs", permissions: ["installs.read"] }],
  });
  expect(role.status).toBe(201);
  const made = await api<{ secret: string }>("POST /v1/tokens", {
    name: "narrow",
    kind: "sa",
    role_id: role.body.id,
  });
  expect(made.status).toBe(201);
  const [usage] = await list("", made.body.secret);
  expect(usage?.role_source).toBe("runner");
  expect(usage).not.toHaveProperty("runner_job");
  expect(usage).not.toHaveProperty("workflow");
});

test.each([
  ["a deploy", "POST /components/web/deploys", { role: "keeper" }],
  ["a run of the sandbox", "POST /reprovision-sandbox", { role: "keeper" }],
  ["a run of an action", "POST /actions/runs", { name: "greet", role: "greeter" }],
  ["a command", "POST /actions/adhoc-run", { command: "true", role: "keeper" }],
])("%s by a role that is not there fails before it has a job", async (_, what, body) => {
  const workflow = await ended(await begin(what, body));
  await api(`POST /v1/workflows/${workflow.id}/cancel`, {});
  const failed = workflow.steps.filter((one) => JSON.stringify(one).includes("role_unavailable"));
  expect(failed).toHaveLength(1);
  expect(failed[0]?.runner_job_id).toBeNull();
  expect(JSON.stringify(failed)).toContain(`without the role ${body.role}`);
  const jobs = await db`select from runner_jobs j where j.workflow_id = ${workflow.id}`;
  expect(jobs).toHaveLength(0);
});
