import type { StepOutcome } from "../machine/step-kind.ts";
import type { CompositeFault, StepJob } from "../machine/workflow-rows.ts";
import { jobOutcome } from "./job-outcome.ts";

/** What the end of a deploy's job means for its step. */
export function deployOutcome(job: StepJob): StepOutcome {
  const outcome = jobOutcome(job);
  if (outcome.kind !== "fault") return outcome;
  const { fault } = outcome;
  const known = job.class === null ? undefined : faults[job.class];
  if (known === undefined) return outcome;
  const [code, title] = known;
  return { ...outcome, fault: { ...fault, code, title, facts: { class: job.class ?? "" } } };
}

/** What agents' classes of failures are, in the words of workflows. */
const faults: Readonly<Record<string, readonly [CompositeFault["code"], string]>> = {
  plan_stale: ["plan_changed", "The state has changed since it was planned"],
  plan_changed: ["plan_changed", "It is not what was planned"],
  unknown_type: ["runner_outdated", "The agent is older than this deploy"],
  missing_value: ["missing_value", "A value is missing"],
  render_failed: ["render_failed", "A text of the artifact could not be rendered"],
  policy: ["policy_denied", "A policy of the runner denies it"],
};
