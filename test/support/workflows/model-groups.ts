import {
  faultOf,
  type PlannedGroup,
  type StepOutcome,
} from "../../../broker/workflows/machine/step-kind.ts";
import type { NewId } from "../../../broker/workflows/machine/workflow-draft.ts";
import type { Step } from "../../../broker/workflows/machine/workflow-rows.ts";

export type ModelStep = {
  readonly begin: "done" | "wait" | "fault" | "plan" | "job";
  readonly skippable: boolean;
  readonly skipOnFailure: boolean;
  readonly retriesGroup: boolean;
  readonly autoRetries: number;
};
export type ModelGroup = { readonly parallel: boolean; readonly steps: readonly ModelStep[] };
/** The group as types of workflows plan it: what a step is like is its kind and its params. */
export const planned = ({ parallel, steps }: ModelGroup, at: number): PlannedGroup => ({
  name: `group ${at}`,
  ...(parallel && { parallel: true }),
  steps: steps.map(({ begin, skippable, skipOnFailure, retriesGroup, autoRetries }) => ({
    kind: begin,
    name: begin,
    params: {
      skippable,
      skip_on_failure: skipOnFailure,
      retries_group: retriesGroup,
      auto_retries: autoRetries,
    },
    target_type: "runners",
    target_id: "run_1",
  })),
});

/** What comes of a step's begin, by its kind. */
export function beginModelStep(step: Step, newId: NewId): StepOutcome {
  if (step.kind === "job") return { kind: "job", job: { id: newId("sig") } };
  if (step.kind === "plan") {
    const contents = { keyId: null, base64: "" };
    const of = { type: "noop", digest: "d", contents, shown: { key_id: null, base64: "" } };
    return { kind: "plan", plan: { id: newId("apv"), ...of } };
  }
  if (step.kind === "fault" && step.retry_index < 2)
    return { kind: "fault", fault: faultOf("internal", "it failed", "it failed") };
  return step.kind === "wait" ? { kind: "wait" } : { kind: "done" };
}
