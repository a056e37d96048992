import { stateText, terraformLock } from "../support/workspaces/given-workspace.ts";
import { accountCalls } from "./account-calls.ts";
import { furtherCalls } from "./further-calls.ts";
import type { GivenWire } from "./given-wire.ts";
import type { WireCall } from "./wire-call.ts";
import {
  failedStep,
  idleInstall,
  lockedWorkspace,
  newInstall,
  ownAction,
  ownApp,
  ownComponent,
  ownEvent,
  ownerOf,
  ownInstall,
  ownRunbook,
  ownRunner,
  ownWorkspace,
  pending,
  pendingWith,
  provisionedInstall,
  runStep,
  waitingStep,
  workspaceState,
  workspaceWithState,
} from "./wire-things.ts";

const named = { body: ({ fresh }: GivenWire) => ({ name: fresh() }) };
const inputs: WireCall = { ids: ownInstall, body: () => ({ inputs: { audience: "moon" } }) };
const git = {
  public_git_vcs_config: { repo: "https://github.com/acme/shop", branch: "main", directory: "." },
};
const ofRich = { ids: ({ rich }: GivenWire) => rich };
const bare = {};

const part = (body: object): WireCall => ({
  ids: pending,
  body: (_, { app_config_id }) => ({ ...body, app_config_id }),
});
const ofComponent = (body: object): WireCall => ({
  ids: pendingWith("components", "component_id"),
  body: (_, { app_config_id }) => ({ ...body, app_config_id }),
});
const ownWebhook: WireCall["ids"] = async ({ made, fresh }) => ({
  webhook_id: (await made("POST /v1/orgs/current/webhooks", hook(fresh()))).id,
});
const hook = (name: string) => ({
  webhook_url: `https://hooks.example.com/${name}`,
  webhook_secret: "a long enough secret",
});
const invited = ({ fresh }: GivenWire) => ({
  email: `${fresh()}@example.com`,
  role_type: "org_read_only",
});
const ownInvite: WireCall["ids"] = async (given) => ({
  invite_id: (await given.made("POST /v1/orgs/current/invites", invited(given))).id,
});
const role = (name: string) => ({
  name,
  policies: [{ name: "read", contents: '{"Version":"2012-10-17","Statement":[]}' }],
});
const ofState = { ids: workspaceWithState };
const ownAccount = async ({ call, tokenFor, fresh }: GivenWire): Promise<string> => {
  const token = await tokenFor({ surface: "operator", permission: "orgs.create" });
  const account = { name: fresh(), roles: ["org_read_only"] };
  const { body } = await call<{ id: string }>("POST /v1/accounts", { token, body: account });
  const pat = { name: fresh(), kind: "pat", account_id: body.id };
  return (await call<{ secret: string }>("POST /v1/tokens", { token, body: pat })).body.secret;
};
const onRunner: WireCall = { ids: (given) => ownRunner(given), body: () => bare };
const mng: WireCall = { ids: (given) => ownRunner(given, "mng"), body: () => bare };

/** By our name of the operation. */
export const wireCalls: Readonly<Record<string, WireCall>> = {
  ...accountCalls,
  ...furtherCalls,
  getInstallEvent: { ids: ownEvent },
  createApp: named,
  updateApp: { ...ofRich, body: () => ({ display_name: "Shop" }) },
  deleteApp: { ids: ownApp },
  addAppAction: { ids: ownApp, ...named },
  updateAction: { ids: ownAction, ...named },
  deleteAction: { ids: ownAction },
  addAppActionConfig: {
    ids: pendingWith("actions", "action_id"),
    body: (_, { app_config_id }) => ({
      app_config_id,
      steps: [{ name: "run", command: "true" }],
      triggers: [{ type: "manual" }],
    }),
  },
  mergeActionLabels: { ids: ownAction, body: () => ({ labels: { team: "shop" } }) },
  removeActionLabels: { ids: ownAction, body: () => ({ keys: ["team"] }) },
  addAppBreakGlass: part({ aws_iam_roles: [role("rescue")] }),
  addAppComponent: { ids: ownApp, ...named },
  updateComponent: { ids: ownComponent, ...named },
  deleteComponent: { ids: ownComponent },
  mergeComponentLabels: { ids: ownComponent, body: () => ({ labels: { team: "shop" } }) },
  removeComponentLabels: { ids: ownComponent, body: () => ({ keys: ["team"] }) },
  addDockerBuildConfig: ofComponent({ dockerfile: "Dockerfile", ...git }),
  addExternalImageConfig: ofComponent({ public: { image_url: "ghcr.io/acme/api", tag: "1" } }),
  addHelmConfig: ofComponent({ chart_name: "api", values: {}, ...git }),
  addJobConfig: ofComponent({ image_url: "ghcr.io/acme/api", tag: "1" }),
  addKubernetesManifestConfig: ofComponent({ manifest: "kind: Namespace", namespace: "shop" }),
  addPulumiConfig: ofComponent({ runtime: "nodejs", config: {}, env_vars: {}, ...git }),
  addTerraformModuleConfig: ofComponent({ variables: {}, env_vars: {}, ...git }),
  updateInstalls: { ids: ({ ids }) => ids, body: () => ({ update_all: true }) },
  addAppInputs: part({ input: [{ name: "size", default: "1" }] }),
  addAppKubernetesContexts: part({ contexts: [{ name: "jobs", component: "cluster" }] }),
  addAppOperationRoles: part({ rules: [] }),
  addAppPermissions: part({
    provision_role: role("provision"),
    maintenance_role: role("maintenance"),
    deprovision_role: role("deprovision"),
  }),
  addAppPolicies: part({ policies: [] }),
  addAppRunbook: { ids: ownApp, ...named },
  updateRunbook: { ids: ownRunbook, ...named },
  deleteRunbook: { ids: ownRunbook },
  addAppRunbookConfig: {
    ids: pendingWith("runbooks", "runbook_id"),
    body: (_, { app_config_id }) => ({
      app_config_id,
      steps: [{ name: "run", type: "action", action_name: "greet" }],
    }),
  },
  addAppRunner: part({ runner_type: "aws" }),
  addAppSandbox: part({ variables: {}, env_vars: {}, terraform_version: "1.11.4", ...git }),
  setAppSecret: { body: ({ fresh }) => ({ name: fresh(), value: "hello" }) },
  deleteAppSecret: {
    ids: async ({ made, org, fresh }) => ({
      app_id: org.appId,
      secret_id: (await made(`POST /v1/apps/${org.appId}/secrets`, { name: fresh(), value: "a" }))
        .id,
    }),
  },
  addAppSecretsConfig: part({ secrets: [] }),
  addAppStack: part({ name: "stack", description: "All of it", type: "aws-cloudformation" }),
  createInstall: { body: ({ fresh }) => ({ name: fresh(), inputs: { audience: "world" } }) },
  createInstallOfApp: {
    body: ({ fresh, org }) => ({
      app_id: org.appId,
      name: fresh(),
      inputs: { audience: "world" },
      labels: { ring: "first" },
    }),
  },
  updateInstall: { ids: ownInstall, ...named },
  deleteInstall: { ids: idleInstall },
  forgetInstall: {
    ids: idleInstall,
    body: async ({ made }, { install_id }) => ({
      confirm: (await made<{ name: string }>(`GET /v1/installs/${install_id}`)).name,
    }),
  },
  deprovisionInstall: { ids: provisionedInstall, body: () => bare },
  reprovisionInstall: { body: () => bare },
  createAdhocRun: { body: () => ({ command: "true" }) },
  createActionRun: {
    body: async ({ made, org }) => {
      const [action] = await made<{ id: string }[]>(`GET /v1/apps/${org.appId}/actions?q=greet`);
      const at = `/v1/apps/${org.appId}/actions/${action?.id ?? ""}/latest-config`;
      return { action_workflow_config_id: (await made(`GET ${at}`)).id };
    },
  },
  updateInstallAppConfig: { body: ({ org }) => ({ app_config_id: org.configId }) },
  createInstallConfig: { ids: ownInstall, body: () => ({ approval_option: "prompt" }) },
  updateInstallConfig: {
    ids: async (given) => {
      const { id, install_config: config } = await newInstall(given, {
        install_config: { approval_option: "prompt" },
      });
      return { install_id: id, install_config_id: config?.id ?? "" };
    },
    body: () => ({ approval_option: "approve-all" }),
  },
  updateInstallInputs: inputs,
  replaceInstallInputs: inputs,
  mergeInstallLabels: { ids: ownInstall, body: () => ({ labels: { ring: "first" } }) },
  removeInstallLabels: { ids: ownInstall, body: () => ({ keys: ["ring"] }) },
  createOrg: {
    body: ({ fresh }) => ({ name: fresh(), use_sandbox_mode: true, tags: ["trial"] }),
  },
  updateCurrentOrg: { body: () => ({ name: "Acme" }) },
  createInvite: { body: invited },
  resendInvite: { ids: ownInvite },
  revokeInvite: { ids: ownInvite },
  createWebhook: { body: ({ fresh }) => hook(fresh()) },
  updateWebhook: { ids: ownWebhook, body: () => ({ webhook_secret: "another long enough" }) },
  deleteWebhook: { ids: ownWebhook },
  cancelJob: {
    ids: async ({ made, ids }) => ({
      job_id: (await made(`POST /v1/runners/${ids["runner_id"]}/jobs`, { type: "noop" })).id,
    }),
  },
  forceShutdown: onRunner,
  gracefulShutdown: onRunner,
  shutDownProcess: {
    ids: (given) => ownRunner(given),
    body: () => ({ shutdown_type: "graceful" }),
  },
  restartManagedRunner: mng,
  shutDownManagedRunner: mng,
  shutDownRunnerVm: mng,
  updateManagedRunner: mng,
  updateRunnerSettings: {
    ids: (given) => ownRunner(given),
    body: () => ({ container_max_uptime: 0 }),
  },
  createTerraformWorkspace: { body: ({ ids }) => ownerOf(ids) },
  deleteTerraformWorkspace: { ids: ownWorkspace },
  lockTerraformWorkspace: { ids: ownWorkspace, body: () => terraformLock() },
  unlockTerraformWorkspace: { ids: lockedWorkspace, body: () => terraformLock("1") },
  writeTerraformState: {
    ids: lockedWorkspace,
    query: (_, { workspace_id }) => `?workspace_id=${workspace_id}&ID=1`,
    text: () => stateText({ serial: 1 }),
  },
  cancelWorkflows: { body: ({ ids }) => ({ workflow_ids: [ids["workflow_id"]] }) },
  updateWorkflow: {
    ids: waitingStep,
    body: () => ({ approval_option: "approve-all" }),
  },
  cancelWorkflow: { ids: waitingStep, body: () => bare },
  respondToApproval: {
    ids: waitingStep,
    body: () => ({ response_type: "approve", note: "fine" }),
  },
  cancelWorkflowStep: { ids: waitingStep, body: () => bare },
  getOwnAccount: { token: ownAccount },
  getActionConfig: { ids: ({ rich }) => ({ config_id: rich["action_config_id"] ?? "" }) },
  getActionRunStep: { ids: runStep },
  getTerraformState: {
    ...ofState,
    query: (_, { workspace_id }) => `?workspace_id=${workspace_id}`,
  },
  getTerraformWorkspace: ofState,
  getTerraformWorkspaceLock: ofState,
  getTerraformStateJson: { ...ofState, query: () => "?limit=10" },
  listTerraformWorkspaceStates: ofState,
  getTerraformWorkspaceState: { ids: workspaceState },
  tailLogs: { skips: true },
  retryWorkflowStep: { ids: failedStep, body: () => bare },
  skipWorkflowStep: { ids: failedStep, body: () => bare },
};
