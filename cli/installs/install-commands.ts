import type { Command } from "../command.ts";
import { createInstall } from "./create-install.ts";
import { enrolInstall } from "./enrol-install.ts";
import {
  deployAll,
  forgetComponent,
  listComponents,
  listDrift,
  showOutputs,
  tearDown,
  toggleComponent,
} from "./install-components.ts";
import {
  checkDns,
  exportInstall,
  listInstallAuditLogs,
  listStates,
  showReadme,
} from "./install-records.ts";
import {
  deleteInstallSecret,
  listInstallSecrets,
  setInstallSecret,
  syncInstallSecrets,
} from "./install-secret-commands.ts";
import { installSettings } from "./install-settings.ts";
import {
  deleteInstall,
  deprovisionInstall,
  forgetInstall,
  reprovisionInstall,
  updateInstall,
  updateInstallConfig,
} from "./manage-install.ts";
import {
  getInstall,
  labelInstall,
  listEvents,
  listInstalls,
  listLabelKeys,
  showInputs,
  showState,
} from "./read-installs.ts";

/** The commands of installs, in the order of help. */
export const installCommands: readonly Command[] = [
  createInstall,
  enrolInstall,
  listInstalls,
  getInstall,
  updateInstall,
  showInputs,
  installSettings,
  listInstallSecrets,
  setInstallSecret,
  deleteInstallSecret,
  syncInstallSecrets,
  labelInstall,
  listLabelKeys,
  showState,
  listStates,
  listEvents,
  listInstallAuditLogs,
  showReadme,
  exportInstall,
  checkDns,
  listComponents,
  showOutputs,
  listDrift,
  deployAll,
  tearDown,
  toggleComponent,
  forgetComponent,
  updateInstallConfig,
  reprovisionInstall,
  deprovisionInstall,
  deleteInstall,
  forgetInstall,
];
