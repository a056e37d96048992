import type { Db } from "../../broker/database/connect.ts";
import { newId } from "../../broker/database/new-id.ts";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import { type Permission, rolePermissions } from "../../shared/permissions.ts";
import type { RouteRule } from "../../shared/route-rule.ts";
import type { Document } from "../support/broker/ask-route.ts";
import { givenEverything } from "../support/broker/given-everything.ts";
import { givenBuild, givenSandboxBuild } from "../support/builds/given-build.ts";
import { givenReport } from "../support/policies/given-report.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner, report } from "../support/rows/given.ts";
import { givenWorkflowsApi } from "../support/workflows/workflows-api.ts";
import { givenComponents } from "./given-components.ts";
import { givenDeployed } from "./given-deployed.ts";
import { richConfig } from "./rich-config.ts";

export type Ids = Readonly<Record<string, string>>;
export type GivenWire = Awaited<ReturnType<typeof givenWire>>;

/** One broker, and an org with one of each thing that clients name, an app of every part beside the small one. */
export async function givenWire() {
  const { db, url, brokers, call, setup } = await givenWorkflowsApi({
    env: { SVC_REGISTRY: "https://registry.example.com" },
  });
  const { body: document } = await call<Document>("GET /openapi.json");
  const { org, ids } = await givenEverything({ db, setup, document });
  const { api, orgId } = org;
  const { adminToken } = await bootstrapOrg(db, "Wire");
  const tokens: Partial<Record<"runner" | "org_admin", string>> = {};
  let count = 0;

  /** What is made by a call, which has to succeed. */
  const made = async <Body = { id: string }>(what: string, body?: unknown): Promise<Body> => {
    const answer = await api<Body>(what, body);
    if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const fresh = (): string => `n${++count}`;
  const tokenFor = async ({ permission, others }: RouteRule): Promise<string> => {
    if (permission === "orgs.create") return adminToken;
    const isAdmins = rolePermissions.org_admin.some(
      (one: Permission) => one === permission || one === others,
    );
    const role = isAdmins ? "org_admin" : "runner";
    const runnerId = ids["runner_id"] ?? "";
    return (tokens[role] ??= await givenToken(
      db,
      isAdmins ? { orgId, role: "org_admin" } : { orgId, runnerId },
    ));
  };
  const rich = await givenRich({ made });
  const { components, runbook } = await givenComponents(made);
  const ended = await givenEnded(db, orgId);
  const jobId = ended["job_id"] ?? "";
  const build = await givenBuilds(db, orgId, components[0] ?? {});
  const deployed = await givenDeployed(db, org, made);
  const sandboxBuild = await givenSandboxBuilds(db, orgId, rich);
  const { deploy_id, sandbox_run_id } = deployed.ids;
  await db`update install_deploys set plan_job_id = ${jobId}, workflow_id = ${ids["workflow_id"] ?? ""} where id = any(${[deploy_id, sandbox_run_id]})`;
  await db`update component_builds set runner_job_id = ${jobId} where id = ${sandboxBuild["sandbox_build_id"] ?? ""}`;
  const trace = [
    { role_id: "", role_name: "", role_source: "runner", available: true, selected: true },
  ];
  await db`
    insert into install_role_usages (id, org_id, install_id, runner_job_id, workflow_id, workflow_step_id, role_source, trace, created_at, created_by_id)
    values (${newId("iru")}, ${orgId}, ${deployed.ids.install_id}, ${jobId}, ${ids["workflow_id"] ?? ""}, ${newId("stp")}, 'runner',
            ${db.json(trace)}, svc_now(), 'acc_1')`;
  return {
    db,
    brokers,
    url,
    call,
    document,
    org,
    ids,
    rich,
    components,
    runbook,
    ended,
    build,
    deployed,
    sandboxBuild,
    made,
    fresh,
    tokenFor,
    adminToken,
  };
}

/** An app whose config has every part, by the names that paths have. */
async function givenRich({
  made,
}: {
  readonly made: <Body = { id: string }>(what: string, body?: unknown) => Promise<Body>;
}): Promise<Ids> {
  const { id: app_id } = await made("POST /v1/apps", { name: "rich" });
  const document = await richConfig("rich");
  const at = `/v1/apps/${app_id}`;
  const config = await made(`POST ${at}/configs/sync`, document);
  const first = async (kind: string) =>
    (await made<{ id: string }[]>(`GET ${at}/${kind}`))[0]?.id ?? "";
  const action_id = await first("actions");
  return {
    app_id,
    app_config_id: config.id,
    action_id,
    action_config_id: (await made(`GET ${at}/actions/${action_id}/latest-config`)).id,
    component_id: await first("components"),
    runbook_id: await first("runbooks"),
  };
}

/** Builds of a sandbox, by the names that their paths have. */
async function givenSandboxBuilds(db: Db, orgId: OrgId, of: Ids): Promise<Ids> {
  const { app_id = "", app_config_id = "" } = of;
  const at = { orgId, appId: app_id, configId: app_config_id };
  await givenSandboxBuild(db, at, "error");
  return { app_id, sandbox_build_id: await givenSandboxBuild(db, at) };
}

/** A job of a runner of its own that failed with a result and outputs. */
async function givenEnded(db: Db, orgId: OrgId): Promise<Ids> {
  const runner = await givenRunner(db, { orgId });
  const processId = await givenProcess(db, runner);
  const { jobId, executionId } = await givenExecution(db, runner, { processId });
  const outputs = { answer: 42 };
  const result = { success: false, composite_error: { type: "terraform.state_lock" } };
  await report(db, runner, { executionId, status: "failed", result, outputs });
  return {
    runner_id: runner.runnerId,
    process_id: processId,
    job_id: jobId,
    execution_id: executionId,
    log_stream_id: `lgs_${jobId.slice(4)}`,
  };
}

/** Builds of a component, by the names that their paths have, and a runner of the org's own that nobody serves: what is built stays open. */
async function givenBuilds(db: Db, orgId: OrgId, of: Ids): Promise<Ids> {
  const { groupId } = await givenRunner(db, { orgId });
  await db`update runner_groups set type = 'org', owner_type = 'org' where id = ${groupId}`;
  const { app_id = "", component_id = "", app_config_id = "" } = of;
  const at = { orgId, appId: app_id, configId: app_config_id, componentId: component_id };
  await givenBuild(db, at, "error");
  const build_id = await givenBuild(db, at);
  const ofReport = { orgId, appId: app_id, componentId: component_id, buildId: build_id };
  const report_id = await givenReport(db, ofReport);
  return { app_id, component_id, build_id, report_id };
}
