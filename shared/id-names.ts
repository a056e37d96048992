import type { IdPrefix } from "./id-prefixes.ts";

/** How a path names each id, and how that id begins. A route that names one of these by its path says nothing more of it. */
export const idNames = {
  account_id: "acc",
  action_config_id: "awc",
  action_id: "act",
  app_config_id: "cfg",
  app_id: "app",
  approval_id: "apv",
  build_id: "bld",
  chart_id: "hch",
  component_config_id: "ccc",
  component_id: "cmp",
  delivery_id: "whd",
  deploy_id: "dep",
  emitter_id: "emt",
  event_id: "evt",
  execution_id: "exe",
  group_id: "wsg",
  install_component_id: "icm",
  install_config_id: "inc",
  install_id: "ins",
  install_secret_id: "ise",
  invite_id: "inv",
  job_id: "job",
  log_stream_id: "lgs",
  policy_config_id: "pol",
  process_id: "prc",
  queue_id: "que",
  registry_login_id: "rgl",
  release_id: "hrl",
  report_id: "plr",
  rescued_id: "tfs",
  role_id: "rol",
  role_usage_id: "iru",
  rollout_id: "rlo",
  run_id: "awr",
  runbook_id: "rbk",
  runner_group_id: "rgr",
  runner_id: "run",
  sandbox_build_id: "sbd",
  sandbox_run_id: "sbr",
  secret_id: "sec",
  shutdown_id: "shd",
  signal_id: "sig",
  step_id: "stp",
  token_id: "tok",
  version_id: "iac",
  webhook_id: "whk",
  workflow_id: "wfl",
  workspace_id: "tfw",
} as const satisfies Readonly<Record<string, IdPrefix>>;
export type IdName = keyof typeof idNames;

/** Those in whose place a name may stand. */
const named = ["app_id", "install_id", "component_id", "action_id", "runbook_id"] as const;
export type NamedParam = (typeof named)[number];
export const isNamedParam = (name: string): name is NamedParam => named.some((one) => one === name);
