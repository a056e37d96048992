import {
  faultOf,
  type PlannedGroup,
  type StepKind,
  type StepOutcome,
} from "../../../broker/workflows/machine/step-kind.ts";
import type { NewId, WorkflowDraft } from "../../../broker/workflows/machine/workflow-draft.ts";
import type { Step } from "../../../broker/workflows/machine/workflow-rows.ts";
import type { WorkflowSnapshot } from "../../../broker/workflows/machine/workflow-snapshot.ts";
import { isFinal, type RunnerJobStatus } from "../../../shared/runner-job.ts";
import type { DeployWish } from "./deploy-wishes.ts";

export type ModelStep = {
  readonly begin: "done" | "wait" | "fault" | "plan" | "job";
  readonly skippable: boolean;
  readonly skipOnFailure: boolean;
  readonly retriesGroup: boolean;
  readonly autoRetries: number;
};
/** What a model walks besides the machine: its groups, its kinds of steps, and what else it keeps. */
export type ModelKinds = {
  readonly generate: (newId: NewId) => readonly PlannedGroup[];
  readonly kindOf: (
    step: Step,
    world: { readonly newId: NewId; readonly isOn: ReadonlySet<string> },
  ) => StepKind;
  readonly more?: () => Partial<WorkflowSnapshot>;
  readonly keep?: (draft: WorkflowDraft, jobs: ReadonlyMap<string, RunnerJobStatus>) => void;
  readonly wish?: (wish: DeployWish) => void;
};

/** Groups of steps that are like what their names say. */
export const kindsOfGroups = (groups: readonly ModelGroup[]): ModelKinds => ({
  generate: () => groups.map(planned),
  kindOf: (step, { newId, isOn }) => ({
    begin: () => beginModelStep(step, newId),
    look(draft) {
      const job = draft.jobOf(step);
      if (job === undefined) return isOn.has(step.id) ? { kind: "done" } : { kind: "wait" };
      if (!isFinal(job.status) || job.is_stopping) return { kind: "wait" };
      if (job.status === "finished") return { kind: "done" };
      if (job.status === "cancelled") return { kind: "cancelled", detail: "" };
      return { kind: "fault", fault: faultOf("job_failed", "it failed", "it failed") };
    },
  }),
});

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
