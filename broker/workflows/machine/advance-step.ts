import { askForApproval, checkPlan } from "./check-plan.ts";
import { cloneStep } from "./clone-steps.ts";
import { countRetries } from "./count-retries.ts";
import { takesPlace } from "./keep-place.ts";
import { faultOf, type Machine, type StepOutcome } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Step } from "./workflow-rows.ts";

const fullAgainMs = 10_000;
const firstBackOffMs = 10_000;
const longestBackOffMs = 300_000;

/** Does with a step what can be done now. */
export function advanceStep(draft: WorkflowDraft, machine: Machine, step: Step): void {
  if (step.status === "pending") beginStep(draft, machine, step);
  else if (step.status === "in-progress" && waitsForQueue(draft, machine, step))
    draft.lookAt = draft.after(fullAgainMs);
  else if (step.status === "in-progress")
    settle(draft, machine, { step, outcome: machine.kindOf(step).look(draft, step) });
  else if (step.status === "approval-awaiting" && draft.isPast(step.deadline_at))
    expireApproval(draft, machine, step);
}

function beginStep(draft: WorkflowDraft, machine: Machine, step: Step): void {
  if (step.deadline_at !== null && !draft.isPast(step.deadline_at)) return;
  if (!takesPlace(draft)) return;
  const kind = machine.kindOf(step);
  if (kind.hasJob === true && draft.newJobs.length >= mostJobsOf(machine)) {
    step.deadline_at = draft.after(fullAgainMs);
    step.status_description = "the runner's queue is full: it is tried again in 10 s";
    return;
  }
  if (kind.readsOutputs === true && hasNewOutputs(draft)) {
    draft.isPutOff = true;
    return;
  }
  draft.moveStep(step, "begin");
  step.started_at = draft.now;
  step.deadline_at = kind.patienceMs === undefined ? null : draft.after(kind.patienceMs(step));
  const outcome = kind.begin(draft, step); // which may choose its target
  if (outcome.kind !== "unchanged") draft.tellStep(step, { transition: "started" });
  settle(draft, machine, { step, outcome });
}

/** Whether this decision brings outputs, which are read only when it is written. */
const hasNewOutputs = ({ snapshot, targets, actionRuns, install }: WorkflowDraft): boolean =>
  install.syncedSecrets !== undefined ||
  targets.some(({ deployed_id: id }, at) => id !== snapshot.targets[at]?.deployed_id) ||
  actionRuns.some(
    ({ status }, at) => status === "finished" && snapshot.action_runs[at]?.status !== status,
  );

const mostJobsOf = ({ refusal }: Machine): number =>
  typeof refusal === "object" ? refusal.mostJobs : Infinity;

/** Its job is begun after it has waited for something else: where the runner's queue is full it waits for that, too. */
const waitsForQueue = (draft: WorkflowDraft, machine: Machine, step: Step): boolean =>
  step.job_id === null &&
  machine.kindOf(step).hasJob === true &&
  draft.newJobs.length >= mostJobsOf(machine);

type Settling = { readonly step: Step; readonly outcome: StepOutcome };

function settle(draft: WorkflowDraft, machine: Machine, { step, outcome }: Settling): void {
  if (outcome.kind === "done") succeedStep(draft, machine, step, outcome.warning);
  else if (outcome.kind === "fault")
    failStep(draft, machine, { step, fault: outcome.fault, isTimeout: outcome.isTimeout === true });
  else if (outcome.kind === "cancelled") {
    const { detail: why, goesOn } = outcome;
    cancelStep(draft, machine, { step, why, directive: goesOn === true ? "continue" : "stop" });
  } else if (outcome.kind === "plan") askForApproval(draft, machine, { step, plan: outcome.plan });
  else if (outcome.kind === "found") checkPlan(draft, machine, { step, found: outcome.found });
  else if (outcome.kind === "job") takeJob(draft, machine, { step, job: outcome.job });
  else if (outcome.kind === "unchanged") passOver(draft, machine, { step, why: outcome.detail });
  else if (outcome.orElse !== undefined && draft.isPast(step.deadline_at))
    failStep(draft, machine, { step, fault: outcome.orElse, isTimeout: true });
}

function takeJob(
  draft: WorkflowDraft,
  machine: Machine,
  { step, job }: { readonly step: Step; readonly job: WorkflowDraft["newJobs"][number] },
): void {
  if (machine.refusal === "no-runner") {
    const detail =
      "The runner takes no jobs: it is disabled, deprovisioned or gone. Enable it, then retry.";
    const fault = faultOf("runner_unavailable", "The runner takes no jobs", detail);
    failStep(draft, machine, { step, fault, isTimeout: false });
    return;
  }
  draft.newJobs.push(job);
  step.job_id = job.id;
  step.job_idx += 1;
}

/** Nothing was to be done: where nobody was told of its begin, nobody is of its end. */
function passOver(
  draft: WorkflowDraft,
  machine: Machine,
  { step, why }: { readonly step: Step; readonly why: string },
): void {
  draft.moveStep(step, "auto-skip", { directive: "skip-group", description: why });
  step.finished_at = draft.now;
  const isTold = draft.snapshot.steps.some(
    ({ id, started_at: at }) => id === step.id && at !== null,
  );
  if (isTold) draft.tellStep(step, { transition: "succeeded" });
  machine.kindOf(step).ended?.(draft, step, false);
}

/** Ends a step well; a warning says what it has left undone. */
export function succeedStep(
  draft: WorkflowDraft,
  machine: Machine,
  step: Step,
  warning = "",
): void {
  draft.moveStep(step, "succeed", { directive: "continue", description: warning });
  step.finished_at = draft.now;
  draft.tellStep(step, { transition: "succeeded" });
  machine.kindOf(step).ended?.(draft, step, false);
}

/** Ends a step as cancelled; what begins no more is cancelled, too. */
export function cancelStep(
  draft: WorkflowDraft,
  machine: Machine,
  {
    step,
    why,
    directive = "stop",
  }: { readonly step: Step; readonly why: string; readonly directive?: "stop" | "continue" },
): void {
  draft.moveStep(step, "cancel", { directive, description: why });
  step.finished_at = draft.now;
  draft.tellStep(step, { transition: "cancelled" });
  machine.kindOf(step).ended?.(draft, step, false);
}

type Failing = {
  readonly step: Step;
  readonly fault: NonNullable<Step["error"]>;
  readonly isTimeout: boolean;
};

/** A step failed: it is tried again, passed over, or waits for somebody who retries or skips it. */
function failStep(
  draft: WorkflowDraft,
  machine: Machine,
  { step, fault, isTimeout }: Failing,
): void {
  step.error = { ...fault, step_id: step.id };
  const description = fault.detail;
  const { auto_retries: budget, auto_retry_code: code = fault.code } = step.params;
  const hasBudget = typeof budget === "number" && countRetries(draft, step) < budget;
  const isAgain = fault.retryable && hasBudget && code === fault.code;
  const isGroup = step.params["retries_group"] === true;
  if (isAgain)
    draft.moveStep(step, "fail", { description, directive: isGroup ? "retry-group" : "retry" });
  else if (step.params["skip_on_failure"] === true)
    draft.moveStep(step, "fail", { description, directive: "continue" });
  else if (step.params["ends_on_failure"] === true)
    draft.moveStep(step, "fail", { description, directive: "stop" });
  else draft.moveStep(step, "stall", { description, directive: "stop" });
  step.finished_at = draft.now;
  draft.tellStep(step, { transition: "failed", error: description });
  machine.kindOf(step).ended?.(draft, step, isTimeout);
  if (isAgain && !isGroup) cloneStep(draft, step, backOffOf(draft, step));
}

/** When a step that failed is tried again by itself. */
export const backOffOf = (draft: WorkflowDraft, { retry_index: tries }: Step): string =>
  draft.after(Math.min(firstBackOffMs * 2 ** tries, longestBackOffMs));

function expireApproval(draft: WorkflowDraft, machine: Machine, step: Step): void {
  const description = "nobody answered within 30 days";
  draft.moveStep(step, "expire", { description, directive: "stop" });
  step.finished_at = draft.now;
  step.error = {
    ...faultOf("approval_expired", "Nobody approved it", description),
    step_id: step.id,
  };
  draft.tellStep(step, { transition: "failed", error: description });
  machine.kindOf(step).ended?.(draft, step, true);
}
