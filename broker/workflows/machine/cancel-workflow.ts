import { problem } from "../../../shared/problem.ts";
import { isFinal } from "../../../shared/runner-job.ts";
import { isEndedStep } from "../../../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import { cancelStep, succeedStep } from "./advance-step.ts";
import { endWorkflow, giveUp } from "./end-workflow.ts";
import type { Machine } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Child, Step } from "./workflow-rows.ts";

const why = "the workflow was cancelled";

/** Goes on with a cancel: it is final when every job has ended and stopped. What finished all the same keeps its end. */
export function settleCancel(draft: WorkflowDraft, machine: Machine): void {
  const open = draft.steps.filter(({ status }) => !isEndedStep(status));
  for (const step of open) {
    const job = draft.jobOf(step);
    if (step.status === "in-progress" && draft.childrenOf(step).size > 0) {
      if (hasOpenChildren(draft, step)) continue;
      if (machine.kindOf(step).look(draft, step).kind === "done") succeedStep(draft, machine, step);
      else cancelStep(draft, machine, { step, why });
    } else if (step.status === "in-progress" && job !== undefined) {
      if (!isFinal(job.status) || job.is_stopping) continue;
      if (job.status === "finished") succeedStep(draft, machine, step);
      else cancelStep(draft, machine, { step, why });
    } else cancelStep(draft, machine, { step, why });
  }
  if (draft.steps.some(({ status }) => !isEndedStep(status))) return;
  if (draft.snapshot.children.some(isOpen)) return;
  endWorkflow(draft, machine, { event: "cancel", why: "it was cancelled" });
}

const isOpen = ({ status }: Pick<Child, "status">): boolean => !isFinishedWorkflow(status);

const hasOpenChildren = (draft: WorkflowDraft, step: Step): boolean =>
  [...draft.childrenOf(step).values()].some(isOpen);

/** The children that a cancel of the workflow, or of one step, must cancel. */
export function childrenToCancel(draft: WorkflowDraft, step?: Step): string[] {
  const { children } = draft.snapshot;
  const own = step === undefined ? children : [...draft.childrenOf(step).values()];
  return own.filter((child) => isOpen(child) && !child.is_cancelling).map(({ id }) => id);
}

type Open = { readonly jobs: readonly string[]; readonly children: readonly string[] };

/**
 * Cancels one step; answers what must end first. Its workflow ends as an error: at once where it waits for somebody to retry
 * a step, else when it comes to this one. 409 for a step that has ended.
 */
export function cancelOpenStep(draft: WorkflowDraft, machine: Machine, step: Step): Open {
  if (isEndedStep(step.status))
    throw problem.conflict(
      "step_final",
      `Only a step that is open can be cancelled. This one is ${step.status}.`,
    );
  const open = { jobs: jobsToCancel(draft, step), children: childrenToCancel(draft, step) };
  const isBusy = step.job_id !== null || hasOpenChildren(draft, step);
  if (step.status === "in-progress" && isBusy) return open;
  cancelStep(draft, machine, { step, why: "it was cancelled" });
  if (draft.workflow.status === "failed-pending-retry")
    giveUp(draft, machine, `${step.name} was cancelled`);
  return open;
}

/** The jobs that a cancel of the workflow, or of one step, must end. */
export function jobsToCancel(draft: WorkflowDraft, step?: Step): string[] {
  const steps = step === undefined ? draft.steps : [step];
  return steps.flatMap((one) => {
    const job = one.status === "in-progress" ? draft.jobOf(one) : undefined;
    return job !== undefined && !isFinal(job.status) ? [job.id] : [];
  });
}
