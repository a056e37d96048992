/** How ids begin, what kind of thing each is the id of, as the audit log says it, and in words. A prefix is of one thing, and is given to no other later. */
export const idPrefixes = {
  acc: { kind: "account", words: "an account" },
  acr: { kind: "account_record", words: "a record of an account" },
  act: { kind: "action", words: "an action" },
  app: { kind: "app", words: "an app" },
  apr: { kind: "approval_response", words: "an answer to an approval" },
  apv: { kind: "approval", words: "an approval" },
  aud: { kind: "audit_event", words: "an event of the audit log" },
  awc: { kind: "action_config", words: "an action's config" },
  awr: { kind: "run", words: "a run of an action" },
  ccc: { kind: "component_config", words: "a component's config" },
  bld: { kind: "build", words: "a build" },
  cfg: { kind: "config", words: "an app config" },
  cmp: { kind: "component", words: "a component" },
  dep: { kind: "deploy", words: "a deploy" },
  emt: { kind: "emitter", words: "an emitter" },
  evt: { kind: "event", words: "an event" },
  exe: { kind: "execution", words: "an execution" },
  hbt: { kind: "heartbeat", words: "a heartbeat" },
  hch: { kind: "chart", words: "a chart" },
  hck: { kind: "health_check", words: "a health check" },
  hrl: { kind: "helm_release", words: "a Helm release" },
  iac: { kind: "install_app_config", words: "a config that an install had" },
  icm: { kind: "install_component", words: "a component of an install" },
  inc: { kind: "install_config", words: "a config of an install" },
  inp: { kind: "install_inputs", words: "a version of an install's inputs" },
  ins: { kind: "install", words: "an install" },
  inv: { kind: "invite", words: "an invitation" },
  iru: { kind: "role_usage", words: "a use of a role" },
  ise: { kind: "install_secret", words: "a secret of an install" },
  ist: { kind: "install_state", words: "a state of an install" },
  job: { kind: "job", words: "a job" },
  lgs: { kind: "log_stream", words: "a log stream" },
  org: { kind: "org", words: "an org" },
  out: { kind: "outputs", words: "outputs" },
  plr: { kind: "policy_report", words: "a report of policies" },
  pol: { kind: "policy", words: "a policy" },
  prc: { kind: "process", words: "a process" },
  que: { kind: "queue", words: "a queue" },
  rbc: { kind: "runbook_config", words: "a runbook's config" },
  rbk: { kind: "runbook", words: "a runbook" },
  res: { kind: "result", words: "a result" },
  rgl: { kind: "registry_login", words: "a login to the registry" },
  rgr: { kind: "runner_group", words: "a runner group" },
  rgs: { kind: "runner_settings", words: "settings of a runner group" },
  rlo: { kind: "rollout", words: "a rollout" },
  rol: { kind: "role", words: "a role" },
  rop: { kind: "runner_operation", words: "an operation of a runner" },
  run: { kind: "runner", words: "a runner" },
  sbd: { kind: "sandbox_build", words: "a build of a sandbox" },
  sbr: { kind: "sandbox_run", words: "a run of a sandbox" },
  sbx: { kind: "install_sandbox", words: "the sandbox of an install" },
  sec: { kind: "secret", words: "a secret" },
  ses: { kind: "session", words: "a session" },
  shd: { kind: "shutdown", words: "a shutdown" },
  sig: { kind: "signal", words: "a signal" },
  stp: { kind: "step", words: "a step of a workflow" },
  tfj: { kind: "state_json", words: "a state as JSON" },
  tfl: { kind: "lock", words: "a lock of a workspace" },
  tfs: { kind: "state", words: "a rescued state" },
  tfw: { kind: "workspace", words: "a workspace" },
  tok: { kind: "token", words: "a token" },
  upl: { kind: "upload", words: "an upload" },
  wfl: { kind: "workflow", words: "a workflow" },
  wfr: { kind: "workflow_run", words: "a run of a workflow" },
  wha: { kind: "attempt", words: "an attempt of a delivery" },
  whd: { kind: "delivery", words: "a delivery" },
  whk: { kind: "webhook", words: "a webhook" },
  wsg: { kind: "step_group", words: "a group of steps" },
} as const satisfies Readonly<Record<string, { readonly kind: string; readonly words: string }>>;
export type IdPrefix = keyof typeof idPrefixes;

/** What ids are the ids of, in one word each. */
export const idKinds: ReadonlySet<string> = new Set(
  Object.values(idPrefixes).map(({ kind }) => kind),
);

/** What an id is the id of, in one word; empty of one whose prefix nobody gives. */
export function kindOfId(id: string): string {
  const prefix = id.slice(0, 3);
  return Object.hasOwn(idPrefixes, prefix) ? idPrefixes[prefix as IdPrefix].kind : ""; // it is one of them
}

/** Prefixes that ids of a thing have which were made before it got one of its own. */
export const formerPrefixes: { readonly [prefix in IdPrefix]?: IdPrefix } = { rlo: "rol" };
