import type { Command } from "../command.ts";
import { deleteApp, getApp, listAppLabelKeys, listApps } from "./app-commands.ts";
import {
  diffAppConfigs,
  getAppConfig,
  listAppConfigs,
  showConfigGraph,
} from "./app-config-commands.ts";
import { deleteAppSecret, listAppSecrets, setAppSecret } from "./app-secret-commands.ts";
import { initApp } from "./init-app.ts";
import { createApp, updateApp } from "./manage-app.ts";
import {
  createAppAction,
  deleteAppAction,
  getAppAction,
  labelAppAction,
  listAppActions,
  updateAppAction,
} from "./parts/app-action-commands.ts";
import { appComponentCommands } from "./parts/component-commands.ts";
import { deleteRunbook, getRunbook, listRunbooks } from "./parts/runbook-commands.ts";
import { showConfigSchema } from "./show-config-schema.ts";
import { syncApp } from "./sync-app.ts";
import { updateInstalls } from "./update-installs.ts";
import { validateApp } from "./validate-app.ts";

/** The commands of apps and their configs, in the order of help. */
export const allAppCommands: readonly Command[] = [
  initApp,
  validateApp,
  syncApp,
  updateInstalls,
  listApps,
  getApp,
  createApp,
  updateApp,
  listAppLabelKeys,
  deleteApp,
  listAppConfigs,
  getAppConfig,
  showConfigGraph,
  diffAppConfigs,
  showConfigSchema,
  ...appComponentCommands,
  listAppActions,
  getAppAction,
  createAppAction,
  updateAppAction,
  labelAppAction,
  deleteAppAction,
  listRunbooks,
  getRunbook,
  deleteRunbook,
  listAppSecrets,
  setAppSecret,
  deleteAppSecret,
];
