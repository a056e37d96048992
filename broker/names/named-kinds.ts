/** What a name may stand for in a path, by the name of the parameter; names of what an app has are looked for in that app. */
export const namedKinds = {
  app_id: { table: "apps", prefix: "app" },
  install_id: { table: "installs", prefix: "ins" },
  component_id: { table: "components", prefix: "cmp" },
  action_id: { table: "actions", prefix: "act" },
  runbook_id: { table: "runbooks", prefix: "rbk" },
} as const;
export type NamedParam = keyof typeof namedKinds;

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

export const isNamedParam = (name: string): name is NamedParam => Object.hasOwn(namedKinds, name);
