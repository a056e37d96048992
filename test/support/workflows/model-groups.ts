import type { PlannedGroup } from "../../../broker/workflows/machine/step-kind.ts";

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
