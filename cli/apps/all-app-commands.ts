import type { Command } from "../command.ts";
import { deleteApp, getApp, listAppLabelKeys, listApps } from "./app-commands.ts";
import { diffAppConfigs, getAppConfig, listAppConfigs } from "./app-config-commands.ts";
import { deleteAppSecret, listAppSecrets, setAppSecret } from "./app-secret-commands.ts";
import { initApp } from "./init-app.ts";
import { showConfigSchema } from "./show-config-schema.ts";
import { syncApp } from "./sync-app.ts";
import { validateApp } from "./validate-app.ts";

/** The commands of apps and their configs, in the order of help. */
export const allAppCommands: readonly Command[] = [
  initApp,
  validateApp,
  syncApp,
  listApps,
  getApp,
  listAppLabelKeys,
  deleteApp,
  listAppConfigs,
  getAppConfig,
  diffAppConfigs,
  showConfigSchema,
  listAppSecrets,
  setAppSecret,
  deleteAppSecret,
];
