/** Every status that a deploy of a component, or a run of a sandbox, can have. */
export const deployStatuses = [
  "pending",
  "queued",
  "planning",
  "approval-awaiting",
  "applying",
  "active",
  "inactive",
  "noop",
  "auto-skipped",
  "no-drift",
  "drifted",
  "approval-denied",
  "discarded",
  "error",
  "cancelled",
] as const;
export type DeployStatus = (typeof deployStatuses)[number];

/** What deploys of components do, and runs of sandboxes. */
export const componentDeployTypes = ["sync-image", "apply", "teardown", "recover"] as const;
/** The same as clients know them: a recovery is an apply. */
export const shownDeployTypes = ["sync-image", "apply", "teardown"] as const;
export const sandboxRunTypes = ["provision", "reprovision", "deprovision"] as const;
export type DeployType = (typeof componentDeployTypes | typeof sandboxRunTypes)[number];

const open: readonly DeployStatus[] = [
  "pending",
  "queued",
  "planning",
  "approval-awaiting",
  "applying",
];

/** Whether a deploy of this status has ended. */
export const isEndedDeploy = (status: DeployStatus): boolean => !open.includes(status);
