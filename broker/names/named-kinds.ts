import type { NamedParam } from "../../shared/id-names.ts";

/** Where a name is looked up that stands in a path, by the name of the parameter; those of what an app has in that app. */
export const tablesOfNames: Readonly<Record<NamedParam, string>> = {
  app_id: "apps",
  install_id: "installs",
  component_id: "components",
  action_id: "actions",
  runbook_id: "runbooks",
};

/** What else of a path belongs to one app: it tells which app `_` is. */
export const tablesOfApp: Readonly<Record<string, string>> = {
  component_id: "components",
  action_id: "actions",
  runbook_id: "runbooks",
  app_config_id: "app_configs",
  config_id: "app_configs",
  secret_id: "app_secrets",
};

/** Stands for the app that has what the path names after it. */
export const someApp = "_";
