import type { PlannedGroup } from "../machine/step-kind.ts";

/** Steps that several types begin or end with. */
export const state = {
  kind: "state",
  name: "generate install state",
  target_type: "install_states",
  target_id: "",
};
export const account = (runnerId: string) => ({
  kind: "account",
  name: "provision runner service account",
  params: { skippable: true },
  target_type: "runners",
  target_id: runnerId,
});
export const healthy = (runnerId: string, execution_type: "system" | "user" = "system") => ({
  kind: "healthy",
  name: "runner healthy",
  execution_type,
  params: { skippable: true },
  target_type: "runners",
  target_id: runnerId,
});
export const group = (...steps: PlannedGroup["steps"]): PlannedGroup => ({
  name: steps.map(({ name }) => name).join(", "),
  steps,
});
export const runnerGone = (runnerId: string) => ({
  kind: "runner-gone",
  name: "runner deprovisioned",
  params: { skippable: true },
  target_type: "runners",
  target_id: runnerId,
});
/** The workflow's config is the install's from then on. */
export const applied = {
  kind: "applied",
  name: "apply the config",
  target_type: "install_workflow_steps",
  target_id: "",
};
