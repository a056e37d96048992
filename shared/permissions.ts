/** Everything that a caller can be allowed to do. Each route names the one it needs (docs/routes.md). */
export const permissions = [
  "orgs.create", // no role has it: only a token of type admin
  "orgs.read",
  "orgs.write",
  "roles.read",
  "accounts.read",
  "accounts.write",
  "tokens.read",
  "tokens.write",
  "tokens.own",
  "audit.read", // who did what in the org
  "runners.read",
  "runners.write", // create, change, enable, disable, deprovision, delete; groups and settings too
  "runners.enrol",
  "runners.operate", // pause, resume, shut down, restart
  "jobs.read",
  "plans.read", // a job's plan, its secrets hidden
  "plans.secrets", // the whole plan; what jobs brought as their results' contents
  "jobs.write", // enqueue, rerun
  "jobs.cancel", // cancel, flush
  "queues.read", // queues, emitters, signals without their data
  "queues.write", // create, change and delete queues and emitters
  "queues.operate", // pause, resume, purge, redrive, cancel; fire, start and stop emitters
  "signals.data", // the data and the results of signals
  "signals.write", // enqueue
  "signals.work", // claim, complete, fail, extend; shows the data of what is claimed
  "apps.read", // apps and their configs
  "apps.write", // create, change and delete apps, sync their configs
  "builds.write", // what is in the lanes of apps
  "connections.write", // logins to what belongs to others: the registry
  "branches.run", // what is in the lanes of branches
  "installs.read", // installs, their inputs without what is sensitive, their states, runs of actions
  "installs.write", // create and change installs, their inputs and labels
  "installs.operate", // begin workflows of installs; retry, skip, cancel, resume
  "installs.destroy", // deprovision, delete, forget
  "workflows.read", // workflows, their steps, approvals and plans without secrets
  "approvals.respond", // approve and deny; approve all
  "webhooks.read", // webhooks and what was delivered to them, never their secrets
  "webhooks.write", // create, change, delete, ping and resend
  "logs.read",
  "logs.write",
  "telemetry.write",
  "state.read",
  "state.write",
  "runner.protocol", // register, beat, poll, claim
  "runner.execution", // report on an execution; a job token has only this and its logs and state
] as const;
export type Permission = (typeof permissions)[number];

export const roleTypes = [
  "org_admin",
  "org_support",
  "org_read_only",
  "org_builder",
  "installer",
  "runner",
  "hosted-installer",
  "stack",
  "telemetry_collector",
] as const;
export type RoleType = (typeof roleTypes)[number];

const reading = [
  "orgs.read",
  "apps.read",
  "installs.read",
  "workflows.read",
  "roles.read",
  "accounts.read",
  "runners.read",
  "jobs.read",
  "queues.read",
  "logs.read",
  "state.read",
  "tokens.own",
] as const satisfies Permission[];

const installing = [
  "orgs.read",
  "roles.read",
  "runners.read",
  "runners.write",
  "runners.enrol",
  "runners.operate",
  "jobs.read",
  "jobs.write",
  "jobs.cancel",
  "queues.read",
  "queues.write",
  "queues.operate",
  "signals.write",
  "signals.work",
  "logs.read",
  "state.read",
  "tokens.own",
] as const satisfies Permission[];

/** What no account is given: whoever may make tokens may give it to a machine all the same. */
export const machinePermissions = [
  "logs.write",
  "telemetry.write",
  "runner.protocol",
  "runner.execution",
] as const satisfies Permission[];

/** What a custom role or a token may be given beyond its role: what few roles have, as it shows customers' secrets. */
export const grantablePermissions = [
  "plans.read",
  "plans.secrets",
  "signals.data",
] as const satisfies Permission[];
export type GrantablePermission = (typeof grantablePermissions)[number];

/** What a token can be bound to. */
export const boundTypes = ["apps", "installs"] as const;
export type BoundType = (typeof boundTypes)[number];

const installingBound = [
  "apps.read",
  "installs.read",
  "workflows.read",
  "installs.write",
  "installs.operate",
  "installs.destroy",
  "approvals.respond",
] as const satisfies Permission[];

/** What a role may do besides with a token that is bound to an app or an install: there, and nowhere else. */
export const boundPermissions: Readonly<Partial<Record<RoleType, readonly Permission[]>>> = {
  installer: installingBound,
  "hosted-installer": installingBound,
};

/** All that a token of this role may do. */
export function permissionsOfRole(role: RoleType, isBound: boolean): readonly Permission[] {
  return isBound
    ? [...rolePermissions[role], ...(boundPermissions[role] ?? [])]
    : rolePermissions[role];
}

/** What each role may do with a token that is bound to nothing. */
export const rolePermissions: Readonly<Record<RoleType, readonly Permission[]>> = {
  org_admin: [
    ...reading,
    "plans.read",
    "plans.secrets",
    "orgs.write",
    "accounts.write",
    "tokens.read",
    "tokens.write",
    "audit.read",
    "runners.write",
    "runners.enrol",
    "runners.operate",
    "jobs.write",
    "jobs.cancel",
    "queues.write",
    "queues.operate",
    "signals.data",
    "signals.write",
    "signals.work",
    "apps.write",
    "builds.write",
    "connections.write",
    "branches.run",
    "installs.write",
    "installs.operate",
    "installs.destroy",
    "approvals.respond",
    "webhooks.read",
    "webhooks.write",
    "state.write",
  ],
  org_support: [
    ...reading,
    "tokens.read",
    "audit.read",
    "runners.operate",
    "jobs.write",
    "jobs.cancel",
    "queues.operate",
    "signals.write",
    "installs.write",
    "installs.operate",
    "approvals.respond",
    "webhooks.read",
  ],
  org_read_only: [...reading, "webhooks.read"],
  org_builder: [
    ...reading,
    "apps.write",
    "builds.write",
    "branches.run",
    "jobs.write",
    "jobs.cancel",
    "signals.write",
    "signals.work",
  ],
  installer: installing,
  runner: [
    "runner.protocol",
    "runner.execution",
    "runners.read",
    "jobs.read",
    "plans.read",
    "plans.secrets",
    "logs.read",
    "logs.write",
    "telemetry.write",
    "state.read",
    "state.write",
    "tokens.own",
  ],
  "hosted-installer": installing,
  stack: ["orgs.read", "runners.read", "runners.enrol", "tokens.own"],
  telemetry_collector: ["logs.write", "telemetry.write", "tokens.own"],
};

/** What a token made for one execution may do: with its own plan and its own state alone, as those who hand them out see to. */
export const jobTokenPermissions: readonly Permission[] = [
  "runner.execution",
  "plans.read",
  "plans.secrets",
  "logs.write",
  "state.read",
  "state.write",
];

/** What the token of an action's run may do, which is bound to the run's install. */
export const runTokenPermissions: readonly Permission[] = ["installs.read"];
