import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { PolicyReport } from "../../../shared/api/policy-reports.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenDeploy } from "../../support/deploys/given-deploy.ts";
import { deployedConfig, givenDeployable } from "../../support/deploys/given-deploys.ts";
import { policy } from "../../support/policies/given-policies.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";
import { findTool } from "../../tools/find-tool.ts";

const { db, call, setup } = await givenWorkflowsApi({
  env: { SVC_OPA: findTool("opa") ?? "" },
});

const ofPlan = (name: string, rule: string, more: object = {}) =>
  policy(name, rule, { type: "terraform_module", ...more });
const opened =
  'deny contains msg if { some r in input.plan.resource_changes; r.change.after.open; msg := sprintf("%s is open by %s", [r.address, r.change.after.word]) }';
const replicas =
  'deny contains msg if { input.review.object.spec.replicas < 2; msg := sprintf("%s %s was %v", [input.review.operation, input.review.name, input.review.oldObject.spec.replicas]) }';

/** An install whose config has these policies. */
async function given(...policies: readonly object[]) {
  const shop = await givenDeployable(setup);
  const synced = await shop.sync({ ...deployedConfig, "policies.toml": { policy: policies } });
  if (synced.status !== 201) throw new Error(JSON.stringify(synced.body));
  const of = { ...shop.of, configId: synced.body.id };
  const runner = await givenRunner(db, { orgId: shop.orgId });
  const process_id = await givenProcess(db, runner);
  const token = await givenToken(db, runner);
  const at = `POST /v1/runners/${runner.runnerId}/jobs`;

  /** A planning job of this plan that has brought this. */
  async function planned(type: RunnerJobType, plan: object, result: object): Promise<string> {
    const body = { type, operation: "create-apply-plan", plan };
    const made = await shop.api<{ id: string }>(at, body);
    const claim = { process_id, poll_id: made.body.id, groups: { deploy: 1, sandbox: 1 } };
    const claimed = await call<{ jobs: { execution: { id: string } }[] }>(`${at}/claim`, {
      token,
      body: claim,
    });
    const execution = claimed.body.jobs[0]?.execution.id ?? "";
    const ended = await call(
      `POST /v1/runner-jobs/${made.body.id}/executions/${execution}/finish`,
      { token, body: { status: "finished", result: { success: true, ...result } } },
    );
    expect(ended.status).toBe(200);
    return made.body.id;
  }
  /** The report of what policies say of a deploy that this job has planned. */
  async function reportOf(
    made: Parameters<typeof givenDeploy>[2],
    jobId: string,
  ): Promise<PolicyReport> {
    const { id } = await givenDeploy(db, of, { ...made, status: "approval-awaiting" });
    const owner = made.component === undefined ? "install_sandbox_runs" : "install_deploys";
    await db`
      insert into policy_evaluations (org_id, owner_type, owner_id, runner_job_id, workflow_id, created_at)
      select org_id, ${owner}, id, ${jobId}, workflow_id, svc_now() from install_deploys where id = ${id}`;
    let reports: readonly PolicyReport[] = [];
    await until(async () => {
      reports = (await shop.api<PolicyReport[]>(`GET /v1/policy-reports?owner_id=${id}`)).body;
      return reports.length > 0;
    });
    return reports[0] as PolicyReport; // there is one
  }
  return { ...shop, planned, reportOf };
}

const shown = (value: unknown) => ({
  contents_compressed: "UEs=",
  contents_display_compressed: gzipSync(JSON.stringify(value)).toString("base64"),
});
const gate = (open: boolean, pad = "") => ({
  address: "gate.main",
  change: {
    actions: ["create"],
    after: { open, word: "word-of-plan", key: "word-of-tool", pad },
    after_sensitive: { key: true },
  },
});

describeWithTools(["opa"], "policies of plans", () => {
  test("deny a plan of a module, pass another, and none of their messages tells a secret", async () => {
    const tells =
      "warn contains msg if { some r in input.plan.resource_changes; msg := r.change.after.key }";
    const shop = await given(
      ofPlan("shut", opened, { components: ["db"] }),
      ofPlan("tells", tells),
      ofPlan("others", 'deny contains "no"', { components: ["extra"] }),
    );
    const plan = { terraform: {}, secrets: ["word-of-plan"] };
    const type = "terraform-deploy";
    const open = await shop.planned(type, plan, shown({ resource_changes: [gate(true)] }));
    const denied = await shop.reportOf({ component: "db" }, open);
    expect(denied).toMatchObject({
      verdict: "deny",
      owner_type: "install_deploys",
      app_name: "shop",
      component_id: shop.ids["db"],
      component_name: "db",
      install_id: shop.installId,
      install_name: "acme",
      runner_job_id: open,
      inputs: [{ id: denied.owner_id, name: "db", type: "plan" }],
      violations: [
        { policy_name: "shut", message: "gate.main is open by (secret)", severity: "deny" },
        { policy_name: "tells", message: "(secret)", severity: "warn" },
      ],
    });
    expect(denied.status.status_human_description).toBe(
      "The policy shut denies it: gate.main is open by (secret)",
    );
    expect(JSON.stringify(denied)).not.toContain("word-of");
    const [known] = await db<{ checks: unknown }[]>`
      select policy_checks(org_id, workflow_id) as checks from install_deploys where id = ${denied.owner_id}`;
    expect(known?.checks).toMatchObject([{ status: "deny", report_id: denied.id }]);
    const long = Array.from({ length: 500 }, () => gate(false, "x".repeat(1000)));
    const shut = await shop.planned(type, plan, shown({ resource_changes: long }));
    expect(await shop.reportOf({ component: "extra" }, shut)).toMatchObject({
      verdict: "deny",
      deny_count: 1,
    });
    expect(await shop.reportOf({ component: "db" }, shut)).toMatchObject({
      verdict: "warn",
      deny_count: 0,
      pass_count: 1,
    });
  });

  test("judge each object of a chart that changes, and none that is not told whole", async () => {
    const shop = await given(policy("many", replicas, { type: "helm_chart" }));
    const object = (n: number) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { replicas: n },
    });
    const update = {
      action: "update",
      ref: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
      changes: [{ path: "spec.replicas", before: 3, after: 1 }],
    };
    const diff = (...content_diff: readonly object[]) => shown({ counts: {}, content_diff });
    const type = "helm-chart-deploy";
    const whole = { ...update, object: object(1), old_object: object(3) };
    const few = await shop.planned(type, {}, diff(whole, { ...whole, action: "unchanged" }));
    expect(await shop.reportOf({ component: "web" }, few)).toMatchObject({
      verdict: "deny",
      deny_count: 1,
      inputs: [{ name: "Deployment shop/web", type: "object" }],
      violations: [{ message: "UPDATE web was 3", input_identity: "Deployment shop/web" }],
    });
    const untold = await shop.reportOf(
      { component: "web" },
      await shop.planned(type, {}, diff(update)),
    );
    expect(untold).toMatchObject({ verdict: "error", policies: [] });
    expect(untold.status.status_human_description).toContain("not the objects whole");
  });

  test("judge runs of the sandbox, and what tears down only where they say so", async () => {
    const shop = await given(
      ofPlan("shut", opened, { type: "sandbox" }),
      ofPlan("stays", 'deny contains "it stays"', { type: "sandbox", apply_on_teardown: true }),
    );
    const type = "sandbox-terraform";
    const job = await shop.planned(type, {}, shown({ resource_changes: [gate(true)] }));
    expect(await shop.reportOf({}, job)).toMatchObject({
      verdict: "deny",
      owner_type: "install_sandbox_runs",
      component_id: "",
      deny_count: 2,
    });
    const down = await shop.planned(type, {}, shown({ resource_changes: [gate(true)] }));
    expect(await shop.reportOf({ type: "deprovision" }, down)).toMatchObject({
      deny_count: 1,
      policies: [{ policy_name: "stays" }],
    });
  });
});

test("a broker of a version that judges builds alone takes none of a plan", async () => {
  const orgId = await givenOrg(db);
  const takes = async (owner: string, take: "old" | "new") => {
    let taken = 0;
    const rolledBack = new Error("nobody else sees it");
    const tried = db.begin(async (tx) => {
      await tx`
        insert into policy_evaluations (org_id, owner_type, owner_id, runner_job_id, workflow_id, created_at)
        values (${orgId}, ${owner}, 'own_1', 'job_1', 'wfl_1', svc_now())`;
      const rows =
        take === "old"
          ? await tx`select from take_policy_evaluation('1 minute') where org_id = ${orgId}`
          : await tx`select from take_evaluation_of(array[${owner}], '1 minute') where org_id = ${orgId}`;
      taken = rows.length;
      throw rolledBack;
    });
    await expect(tried).rejects.toBe(rolledBack);
    return taken;
  };
  expect(await takes("install_deploys", "old")).toBe(0);
  expect(await takes("component_builds", "old")).toBe(1);
  expect(await takes("install_deploys", "new")).toBe(1);
});
