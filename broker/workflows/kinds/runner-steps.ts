import { faultOf, type StepKind } from "../machine/step-kind.ts";
import type { KindEnvironment } from "./kind-environment.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The runner's service account: it comes with the runner, which must take jobs. */
export const accountStep = ({ facts }: KindEnvironment): StepKind => ({
  begin() {
    const { lifecycle } = facts.runner;
    if (lifecycle === "enabled") return { kind: "done" };
    const detail = `The runner is ${lifecycle}. Enable it, then retry.`;
    return { kind: "fault", fault: faultOf("runner_unavailable", "No runner takes jobs", detail) };
  },
  look: () => ({ kind: "done" }),
});

/** Waits until a process of the runner is there: of a new install for somebody who starts its agent, of an old one for an hour. */
export const healthyStep: StepKind = {
  patienceMs: ({ execution_type: type }) => (type === "user" ? 30 * dayMs : hourMs),
  begin: (draft, step) => healthyStep.look(draft, step),
  look(draft, step) {
    if (draft.snapshot.has_live_runner) return { kind: "done" };
    step.status_description = "it waits for a process of the runner: start its agent";
    const detail = "No process of the runner connected in time. Start its agent, then retry.";
    const fault = faultOf("runner_unavailable", "The runner is not connected", detail);
    return { kind: "wait", orElse: fault };
  },
};

/** Waits until the runner is deprovisioned, which is done after each look; one that was there before the install stays as it is. */
export const runnerGoneStep = ({ facts }: KindEnvironment): StepKind => ({
  patienceMs: () => hourMs,
  begin(draft) {
    if (!facts.install.has_own_runner || facts.runner.lifecycle === "deprovisioned")
      return { kind: "done" };
    draft.effects.deprovisionRunner = facts.runner.id;
    const detail = "The runner could not be deprovisioned within an hour. Retry.";
    return {
      kind: "wait",
      orElse: faultOf("internal", "The runner was not deprovisioned", detail),
    };
  },
  look(draft, step) {
    return this.begin(draft, step);
  },
});

/** The config that the workflow was for is the install's from now on. */
export const appliedStep: StepKind = {
  begin(draft) {
    const { app_config_id: id } = draft.workflow;
    if (id !== null) draft.install.appliedConfigId = id;
    return { kind: "done" };
  },
  look: () => ({ kind: "done" }),
};
