import { buildCalls } from "./build-calls.ts";
import { deployCalls } from "./deploy-calls.ts";
import type { WireCall } from "./wire-call.ts";
import { failedStep, installWithSecrets, judgedStep, ownApp, pending } from "./wire-things.ts";

/** Calls of what stands beside: builds, schemas and checks of configs, and what follows signals. */
export const furtherCalls: Readonly<Record<string, WireCall>> = {
  ...buildCalls,
  ...deployCalls,
  createAppConfig: { ids: ownApp, body: () => ({}) },
  updateAppConfig: { ids: pending, body: () => ({ status: "error", status_description: "no" }) },
  activateAppConfig: {
    ids: async (given) => {
      const ids = await pending(given);
      const body = { display_name: "Shop", app_config_id: ids["app_config_id"] };
      await given.made(`POST /v1/apps/${ids["app_id"]}/metadata-configs`, body);
      return ids;
    },
  },
  getAppConfig: {
    ids: ({ rich }) => ({ config_id: rich["app_config_id"] ?? "" }),
    query: () => "?recurse=true",
  },
  diffAppConfigs: { query: (_, ids) => `?old_config_id=${ids["app_config_id"]}` },
  getAppConfigVersion: { query: () => "?recurse=true" },
  getLatestAppConfig: { query: () => "?recurse=true" },
  getWorkflowStep: { ids: judgedStep },
  retryInstallWorkflow: {
    ids: failedStep,
    body: (_, { workflow_id, step_id }) => ({ workflow_id, step_id, operation: "retry-step" }),
  },
  checkInstallDns: {},
  awaitSignal: { query: () => "?timeout=1" },
  syncInstallSecrets: { ids: installWithSecrets, body: () => ({}) },
  getConfigSchemaOfType: { ids: () => ({ type: "action" }) },
};
