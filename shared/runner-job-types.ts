/** Job groups, in the words of the wire; the empty one is runner-local's. */
export const runnerJobGroups = [
  "health-checks",
  "sync",
  "build",
  "deploy",
  "sandbox",
  "runner",
  "operations",
  "management",
  "actions",
  "image-actions",
  "",
] as const;
export type RunnerJobGroup = (typeof runnerJobGroups)[number];

export const runnerJobOperations = [
  "exec",
  "build",
  "create-apply-plan",
  "create-teardown-plan",
  "apply-plan",
  "unknown",
] as const;
export type RunnerJobOperation = (typeof runnerJobOperations)[number];

type TypeRow = {
  readonly group: RunnerJobGroup;
  /** Default execution timeout. */
  readonly minutes: number;
  /** It may go on changing the customer's account for a while after it was told to stop. */
  readonly slowToStop?: true;
  /** A second run beside a lost first one could do harm. */
  readonly changesThings?: true;
  /** It is an order to the runner itself: who enqueues it must be allowed to operate runners. */
  readonly ordersRunner?: true;
  /** Which plans an agent of ours must read to run it: 1 unless told, which all of them do. */
  readonly plans?: number;
};

const changes = { changesThings: true } as const;
const order = { ordersRunner: true } as const;
const builds = { plans: 2 } as const;
/** Agents of before would build without the secrets. */
const images = { plans: 3 } as const;
const slow = { slowToStop: true, changesThings: true } as const;

/** Every job type with its group, its default execution timeout and how it stops. */
export const runnerJobTypes = {
  "health-check": { group: "operations", minutes: 5 },
  "docker-build": { group: "build", minutes: 60, ...images },
  "container-image-build": { group: "build", minutes: 15, ...builds },
  "terraform-module-build": { group: "build", minutes: 5, ...builds },
  "helm-chart-build": { group: "build", minutes: 5, ...builds },
  "kubernetes-manifest-build": { group: "build", minutes: 5, ...builds },
  "pulumi-build": { group: "build", minutes: 5, ...builds },
  "noop-build": { group: "build", minutes: 5 },
  "sandbox-build": { group: "build", minutes: 5, ...builds },
  "oci-sync": { group: "sync", minutes: 15, ...builds },
  "noop-sync": { group: "sync", minutes: 5 },
  "fetch-image-metadata": { group: "sync", minutes: 5, ...builds },
  "terraform-deploy": { group: "deploy", minutes: 60, ...slow, ...builds },
  "helm-chart-deploy": { group: "deploy", minutes: 30, ...slow, ...builds },
  "job-deploy": { group: "deploy", minutes: 15, ...changes, ...builds },
  "kubernetes-manifest-deploy": { group: "deploy", minutes: 15, ...changes, ...builds },
  "pulumi-deploy": { group: "deploy", minutes: 60, ...slow, ...builds },
  "noop-deploy": { group: "deploy", minutes: 5 },
  "shut-down": { group: "operations", minutes: 5, ...order },
  "update-version": { group: "operations", minutes: 5, ...changes, ...order },
  noop: { group: "operations", minutes: 5 },
  "mng-vm-shut-down": { group: "management", minutes: 5, ...changes, ...order },
  "mng-shut-down": { group: "management", minutes: 5, ...changes, ...order },
  "mng-runner-update-version": { group: "management", minutes: 5, ...changes, ...order },
  "mng-runner-restart": { group: "management", minutes: 5, ...changes, ...order },
  "mng-fetch-token": { group: "management", minutes: 5, ...order },
  "sandbox-terraform": { group: "sandbox", minutes: 60, ...slow, ...builds },
  "sandbox-terraform-plan": { group: "sandbox", minutes: 60, slowToStop: true },
  "sandbox-pulumi": { group: "sandbox", minutes: 60, ...slow, ...builds },
  "sandbox-sync-secrets": { group: "sandbox", minutes: 5, ...changes, ...builds },
  "runner-helm": { group: "runner", minutes: 5, ...slow },
  "runner-terraform": { group: "runner", minutes: 15, ...slow },
  "runner-local": { group: "", minutes: 5, ...changes },
  "actions-workflow": { group: "actions", minutes: 5, ...changes },
} as const satisfies Record<string, TypeRow>;

export type RunnerJobType = keyof typeof runnerJobTypes;

/** Which plans an agent must read that renders templates of artifacts: older ones would deploy them as they are. */
export const plansWithState = 4;

/** Those that write a Secret by which images are pulled: where it is left out, no pod starts. */
export const plansWithPullSecret = 5;

/** Those of terraform with a state: older agents do not render files of variables. */
export const plansWithVariables = 6;
/** Those that lay policies of a cluster where a sandbox applies them: older agents would evaluate them as Rego. */
export const plansWithKyverno = 6;

/** Which plans this version's agent reads: the newest that a type, or such a plan, needs. It is raised with the first that older agents do not read. */
export const newestPlans = 6;

/** The row of a type, with its optional members visible. */
export function runnerJobType(type: RunnerJobType): TypeRow {
  return runnerJobTypes[type];
}

export const runnerJobTypeNames = Object.keys(runnerJobTypes) as [
  RunnerJobType,
  ...RunnerJobType[],
]; // its own keys
