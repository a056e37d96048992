import type { DeployStatus, DeployType } from "./deploy-statuses.ts";

/** The words that `status` of deploys and runs of sandboxes may be; `status_v2` has those of `deployStatuses`, and `success`. */
export const deployWords = [
  "pending",
  "queued",
  "planning",
  "pending-approval",
  "executing",
  "provisioning",
  "deprovisioning",
  "active",
  "inactive",
  "deprovisioned",
  "noop",
  "auto-skipped",
  "no-drift",
  "drift-detected",
  "approval-denied",
  "retried",
  "error",
  "cancelled",
] as const;
export type DeployWord = (typeof deployWords)[number];

const others = {
  "approval-awaiting": "pending-approval",
  drifted: "drift-detected",
  discarded: "retried",
} as const;

/** The word that `status` has for a stored status; of sandboxes some have words of their own. */
export function deployWord(status: DeployStatus, type: DeployType): DeployWord {
  if (status === "applying") return workingWord(type);
  if (status === "inactive") return type === "deprovision" ? "deprovisioned" : "inactive";
  return status in others ? others[status as keyof typeof others] : (status as DeployWord); // all others are the same
}

/**
 * How people read the status of a deploy, which of one that was only planned has a word of drift, whatever was looked for: an upgrade
 * that is planned finds what it would change.
 */
export function shownDeployWord({ status, plan_only: isPlan }: Shown): string {
  return isPlan && status in ofPlans ? ofPlans[status as keyof typeof ofPlans] : status;
}
type Shown = { readonly status: string; readonly plan_only: boolean };

const ofPlans = { "drift-detected": "would change", "no-drift": "no change" } as const;

/** The word that `status_v2` has for it: what is torn down has succeeded. */
export const deployWordV2 = (status: DeployStatus): DeployStatus | "success" =>
  status === "inactive" ? "success" : status;

function workingWord(type: DeployType): DeployWord {
  if (type === "provision" || type === "reprovision") return "provisioning";
  return type === "deprovision" ? "deprovisioning" : "executing";
}
