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
      if (openChildren(draft, step).length > 0) continue;
      if (machine.kindOf(step).look(draft, step).kind === "done") succeedStep(draft, machine, step);
      else cancelStep(draft, machine, { step, why });
    } else if (step.status === "in-progress" && job !== undefined) {
      if (!isFinal(job.status) || job.is_stopping) continue;
      const isHeld = machine.kindOf(step).isHeld?.(draft, step) === true;
      if (job.status === "finished" && !isHeld) succeedStep(draft, machine, step);
      else cancelStep(draft, machine, { step, why });
    } else cancelStep(draft, machine, { step, why });
  }
  if (draft.steps.some(({ status }) => !isEndedStep(status))) return;
  if (draft.snapshot.children.some(isOpen)) return;
  endWorkflow(draft, machine, { event: "cancel", why: "it was cancelled" });
}

const isOpen = ({ status }: Pick<Child, "status">): boolean => !isFinishedWorkflow(status);

/** What a step, or one in whose place it is, has begun and has not ended. */
export const openChildren = (draft: WorkflowDraft, step: Step): string[] =>
  [...draft.childrenOf(step).values()].flatMap((child) => (isOpen(child) ? [child.id] : []));

/** The children that a cancel of the workflow must cancel. */
export const childrenToCancel = ({ snapshot: { children } }: WorkflowDraft): string[] =>
  children.filter((child) => isOpen(child) && !child.is_cancelling).map(({ id }) => id);

/** Has a step that runs begin no more: what it is to tell its group, once it has ended, stands from now on. */
export function markCancelled(step: Step): void {
  step.result_directive = "stop";
  step.status_description = "Cancelling: child workflows are still running.";
}
export const isBeingCancelled = ({ status, result_directive: said }: Step): boolean =>
  status === "in-progress" && said === "stop";

/**
 * Cancels one step; answers the jobs that must end first. Its workflow ends as an error: at once where it waits for somebody to retry
 * a step, else when it comes to this one. 409 for a step that has ended.
 */
export function cancelOpenStep(draft: WorkflowDraft, machine: Machine, step: Step): string[] {
  if (isEndedStep(step.status))
    throw problem.conflict(
      "step_final",
      `Only a step that is open can be cancelled. This one is ${step.status}.`,
    );
  const children = openChildren(draft, step);
  draft.leftChildren.push(...children);
  if (step.status === "in-progress" && children.length > 0) {
    markCancelled(step);
    return [];
  }
  const job = draft.jobOf(step);
  const isRunning = job !== undefined && (!isFinal(job.status) || job.is_stopping);
  if (step.status === "in-progress" && step.job_id !== null && (job === undefined || isRunning))
    return jobsToCancel(draft, step);
  const isHeld = machine.kindOf(step).isHeld?.(draft, step) === true;
  if (step.status === "in-progress" && job?.status === "finished" && !isHeld)
    throw problem.conflict("step_final", "Its job has just finished: there is nothing to cancel.");
  cancelStep(draft, machine, { step, why: "it was cancelled" });
  if (draft.workflow.status === "failed-pending-retry")
    giveUp(draft, machine, `${step.name} was cancelled`);
  return [];
}

/** The jobs that a cancel of the workflow, or of one step, must end. */
export function jobsToCancel(draft: WorkflowDraft, step?: Step): string[] {
  const steps = step === undefined ? draft.steps : [step];
  return steps.flatMap((one) => {
    const job = one.status === "in-progress" ? draft.jobOf(one) : undefined;
    return job !== undefined && !isFinal(job.status) ? [job.id] : [];
  });
}
