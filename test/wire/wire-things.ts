import type { Install } from "../../shared/api/install.ts";
import { givenReport } from "../support/policies/given-report.ts";
import { givenProcess, givenRunner } from "../support/rows/given.ts";
import { givenInstall, stepIn } from "../support/workflows/workflows-api.ts";
import { stateText, terraformLock } from "../support/workspaces/given-workspace.ts";
import type { GivenWire, Ids } from "./given-wire.ts";

/** An app of its own. */
export async function ownApp({ made, fresh }: GivenWire): Promise<{ readonly app_id: string }> {
  return { app_id: (await made("POST /v1/apps", { name: fresh() })).id };
}

/** An app with a config that takes parts. */
export async function pending(given: GivenWire): Promise<Ids> {
  const { app_id } = await ownApp(given);
  return { app_id, app_config_id: (await given.made(`POST /v1/apps/${app_id}/configs`, {})).id };
}

/** The same, and what its path names there. */
export function pendingWith(kind: "actions" | "components" | "runbooks", name: string) {
  return async (given: GivenWire): Promise<Ids> => {
    const ids = await pending(given);
    const body = { name: given.fresh() };
    return {
      ...ids,
      [name]: (await given.made(`POST /v1/apps/${ids["app_id"]}/${kind}`, body)).id,
    };
  };
}

/** What no config has: it is made by its name. */
function ownNamed(kind: "actions" | "components" | "runbooks", param: string) {
  return async (given: GivenWire): Promise<Ids> => {
    const { app_id } = await ownApp(given);
    const made = await given.made(`POST /v1/apps/${app_id}/${kind}`, { name: given.fresh() });
    return { app_id, [param]: made.id };
  };
}
/** An action that no config has. */
export const ownAction = ownNamed("actions", "action_id");
/** A component that no config has. */
export const ownComponent = ownNamed("components", "component_id");
/** A runbook that no config has. */
export const ownRunbook = ownNamed("runbooks", "runbook_id");

/** An install without a runner, as it was made. */
export async function newInstall(
  { made, fresh, org }: GivenWire,
  more: object = {},
): Promise<Install> {
  const body = { name: fresh(), inputs: { audience: "world", size: 12 }, ...more };
  return await made<Install>(`POST /v1/apps/${org.appId}/installs`, body);
}

/** An install of its own. */
export async function ownInstall(given: GivenWire): Promise<Ids> {
  return { install_id: (await newInstall(given)).id };
}

/** An event of an install. */
export async function ownEvent({ made, ids }: GivenWire): Promise<Ids> {
  const at = `/v1/installs/${ids["install_id"]}/events?limit=1`;
  return { event_id: (await made<{ id: string }[]>(`GET ${at}`))[0]?.id ?? "" };
}

/** An install that has nothing to do. */
export async function idleInstall(given: GivenWire): Promise<Ids> {
  const { id, workflow_id = "" } = await newInstall(given);
  await given.made(`POST /v1/workflows/${workflow_id}/cancel`, {});
  await given.org.reach(workflow_id, "cancelled");
  return { install_id: id };
}

/** An install that a runner of its own provisioned. */
export async function provisionedInstall({ org, fresh }: GivenWire): Promise<Ids> {
  return { install_id: (await givenInstall(org, { name: fresh() })).installId };
}

/** An install of an app with a secret, as if it were provisioned. */
export async function installWithSecrets(given: GivenWire): Promise<Ids> {
  const { db, made, fresh } = given;
  const { app_id } = await ownApp(given);
  const document = { "metadata.toml": {}, "secrets.toml": { secret: [{ name: "license" }] } };
  await made(`POST /v1/apps/${app_id}/configs/sync`, document);
  const body = { name: fresh(), start: false };
  const { id } = await made(`POST /v1/apps/${app_id}/installs`, body);
  await db`update installs set lifecycle_phase = 'active' where id = ${id}`;
  return { install_id: id };
}

/** A workflow that waits for an approval, at its step. */
export async function waitingStep({ org, ids }: GivenWire): Promise<Ids> {
  const { body } = await org.run(ids["install_id"] ?? "", "careful");
  const workflow = await org.reach(body.workflow_id, "approval-awaiting");
  const step = stepIn(workflow, "approval-awaiting");
  return { workflow_id: workflow.id, step_id: step.id, approval_id: step.approval?.id ?? "" };
}

/** A workflow of an install of its own whose job failed, at its step. */
export async function failedStep({ org, fresh }: GivenWire): Promise<Ids> {
  const ends = (plan: string) => (plan.includes("fail") ? "failed" : "finished");
  const inputs = { audience: "fail" };
  const { installId } = await givenInstall(org, { name: fresh(), inputs, ends });
  const { body } = await org.run(installId, "greet");
  const workflow = await org.reach(body.workflow_id, "failed-pending-retry");
  const step = stepIn(workflow, "failed-pending-retry");
  return { install_id: installId, workflow_id: workflow.id, step_id: step.id };
}

/** A step of which there is a report of policies. */
export async function judgedStep(given: GivenWire): Promise<Ids> {
  const { db, org, build, made } = given;
  const { workflow_id = "", step_id = "", ...rest } = await failedStep(given);
  const at = `GET /v1/workflows/${workflow_id}/steps/${step_id}`;
  type Step = { readonly step_target_id: string; readonly runner_job_id: string };
  const { step_target_id: buildId, runner_job_id: jobId } = await made<Step>(at);
  const { app_id: appId = "", component_id: componentId = "" } = build;
  await givenReport(db, { orgId: org.orgId, appId, componentId, buildId, jobId });
  return { ...rest, workflow_id, step_id };
}

/** A runner with a process of this type, for what ends either. */
export async function ownRunner({ db, org }: GivenWire, type = "install"): Promise<Ids> {
  const own = await givenRunner(db, { orgId: org.orgId });
  return { runner_id: own.runnerId, process_id: await givenProcess(db, own, { type }) };
}

/** Whose a workspace is. */
export const ownerOf = (ids: Ids) => ({
  owner_id: ids["install_id"] ?? "",
  owner_type: "installs",
});

/** A workspace without a state. */
export async function ownWorkspace({ made, ids }: GivenWire): Promise<Ids> {
  return { workspace_id: (await made("POST /v1/terraform-workspaces", ownerOf(ids))).id };
}

/** A workspace that is locked. */
export async function lockedWorkspace(given: GivenWire): Promise<Ids> {
  const own = await ownWorkspace(given);
  await given.made(`POST /v1/terraform-workspaces/${own["workspace_id"]}/lock`, terraformLock("1"));
  return own;
}

/** A locked workspace with a state. */
export async function workspaceWithState(given: GivenWire): Promise<Ids> {
  const own = await lockedWorkspace(given);
  const at = `workspace_id=${own["workspace_id"]}&ID=1`;
  await given.made(`POST /v1/terraform-backend?${at}`, JSON.parse(stateText({ serial: 1 })));
  return own;
}

/** A state of a workspace. */
export async function workspaceState(given: GivenWire): Promise<Ids> {
  const own = await workspaceWithState(given);
  const at = `/v1/terraform-workspaces/${own["workspace_id"]}/states`;
  const { items } = await given.made<{ items: { id: string }[] }>(`GET ${at}`);
  return { ...own, state_id: items[0]?.id ?? "" };
}

/** A step of a run of an action that is over. */
export async function runStep({ made, org, fresh }: GivenWire): Promise<Ids> {
  const { installId } = await givenInstall(org, { name: fresh() });
  const { body: run } = await org.run(installId, "greet");
  await org.reach(run.workflow_id, "success");
  const at = `/v1/installs/${installId}/actions/runs/${run.id}`;
  const { steps } = await made<{ steps: { id: string }[] }>(`GET ${at}`);
  return { install_id: installId, run_id: run.id, step_id: steps[0]?.id ?? "" };
}
