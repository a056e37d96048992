import { isEndedStep } from "../../../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import { advanceStep, backOffOf } from "./advance-step.ts";
import { settleCancel } from "./cancel-workflow.ts";
import { cloneGroup } from "./clone-steps.ts";
import { endWorkflow, failStalled, giveUp } from "./end-workflow.ts";
import { generateSteps } from "./generate-steps.ts";
import { keepsPlace, tellPlace, yieldPlace } from "./keep-place.ts";
import { faultOf, type Machine } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Group, Step } from "./workflow-rows.ts";

const hourMs = 3_600_000;
/** How long a failed workflow waits for somebody; and how long while another one waits in its lane. */
const stallMs = 30 * 24 * hourMs;
const stallInTheWayMs = hourMs;

/** Does with a workflow what can be done now: as many moves as there are, until it waits or has finished. */
export function advanceWorkflow(draft: WorkflowDraft, machine: Machine): void {
  const { workflow, snapshot } = draft;
  if (isFinishedWorkflow(workflow.status)) return;
  // Its place in the lane was purged or cancelled, or its install is gone.
  if (snapshot.signal_status === null || machine.isOrphaned === true) workflow.is_cancelling = true;
  // It failed as a part of another one, which has finished without it.
  if (workflow.shares_place && workflow.status === "failed-pending-retry")
    workflow.is_cancelling ||= snapshot.is_parent_finished;
  if (workflow.is_cancelling) {
    settleCancel(draft, machine);
    return;
  }
  if (workflow.status === "failed-pending-retry") {
    yieldPlace(draft);
    giveUpInTime(draft, machine);
    return;
  }
  if (workflow.status === "pending") {
    if (snapshot.signal_status !== "in-flight") return;
    if (!begin(draft, machine)) return;
  }
  runGroups(draft, machine);
  yieldPlace(draft);
  tellPlace(draft);
}

function begin(draft: WorkflowDraft, machine: Machine): boolean {
  const { workflow, run } = draft;
  const isSuperseded = draft.groups.length > 0 && machine.isSuperseded?.(draft) === true;
  draft.moveWorkflow("start");
  workflow.started_at ??= draft.now;
  Object.assign(run, { status: "in-progress", started_at: draft.now });
  draft.tellWorkflow({ transition: "started" });
  if (isSuperseded) {
    const why = "another change of the install ended while this one waited to be resumed";
    const fault = faultOf("plan_changed", "A newer change replaced it", why, { retryable: false });
    endWorkflow(draft, machine, { event: "fail", why, fault });
    return false;
  }
  machine.began(draft);
  if (draft.groups.length > 0) return true;
  const fault = generateSteps(draft, machine);
  if (fault === undefined) return true;
  endWorkflow(draft, machine, { event: "fail", why: fault.detail, fault });
  return false;
}

function runGroups(draft: WorkflowDraft, machine: Machine): void {
  for (;;) {
    const group = draft.liveGroups().find(({ result_directive: done }) => done === null);
    if (group === undefined) {
      endWaiting(draft);
      endWorkflow(draft, machine, { event: "succeed", why: "" });
      return;
    }
    const directive = advanceGroup(draft, machine, group);
    if (directive === undefined) {
      showWaiting(draft);
      return;
    }
    group.result_directive = directive;
    if (directive === "retry-group") cloneGroup(draft, group, backOffOfGroup(draft, group));
    if (directive !== "stop") continue;
    stop(draft, machine, group);
    return;
  }
}

/** A group of which a step failed is tried again after a while; one for which a new plan was asked, at once. */
function backOffOfGroup(draft: WorkflowDraft, group: Group): string | null {
  const failed = draft
    .stepsOf(group)
    .find(({ status, result_directive: said }) => status === "error" && said === "retry-group");
  return failed === undefined ? null : backOffOf(draft, failed);
}

type Directive = NonNullable<Group["result_directive"]>;

/** What the group tells its workflow; undefined while it is open. */
function advanceGroup(draft: WorkflowDraft, machine: Machine, group: Group): Directive | undefined {
  for (const step of draft.stepsOf(group)) {
    advanceStep(draft, machine, step);
    if (!group.parallel && (step.is_retried || !goesOn(step))) break;
  }
  const steps = draft.stepsOf(group);
  const directive = group.parallel ? ofAll(steps) : ofLine(steps);
  if (directive === undefined || directive === "continue") return directive;
  closeRest(draft, steps, directive);
  return directive;
}

const isSettled = ({ status }: Step): boolean =>
  isEndedStep(status) || status === "failed-pending-retry";
const goesOn = (step: Step): boolean => isSettled(step) && step.result_directive === "continue";

function ofLine(steps: readonly Step[]): Directive | undefined {
  const at = steps.find((step) => !goesOn(step));
  if (at === undefined) return "continue";
  return isSettled(at) ? strongest(steps) : undefined;
}

/** Steps that run side by side run out, whatever one of them says. */
function ofAll(steps: readonly Step[]): Directive | undefined {
  return steps.every(isSettled) ? strongest(steps) : undefined;
}

const strength: readonly Directive[] = ["stop", "retry-group", "skip-group", "continue"];

/** A step that was cancelled before it began stops its group, whatever those before it say. */
function strongest(steps: readonly Step[]): Directive {
  return strength.find((one) => steps.some((step) => directiveOf(step) === one)) ?? "continue";
}

function directiveOf({ result_directive: said }: Step): Directive {
  return said === "stop" || said === "retry-group" || said === "skip-group" ? said : "continue";
}

/**
 * What of a group does not begin any more. Where somebody may retry a step, the others stay as they are; beside one that was
 * cancelled nobody may.
 */
function closeRest(draft: WorkflowDraft, steps: readonly Step[], directive: Directive): void {
  if (steps.some(({ status }) => status === "cancelled")) failStalled(draft, steps);
  if (steps.some(({ status }) => status === "failed-pending-retry")) return;
  const isDenied = steps.some(({ status }) => status === "approval-denied");
  for (const step of steps.filter(({ status }) => status === "pending")) {
    if (directive !== "skip-group") draft.moveStep(step, "discard");
    else draft.moveStep(step, isDenied ? "skip" : "auto-skip", { directive: "continue" });
    step.finished_at = draft.now;
  }
}

function stop(draft: WorkflowDraft, machine: Machine, group: Group): void {
  endWaiting(draft);
  const steps = draft.stepsOf(group);
  const failed = steps.find(({ result_directive: said }) => said === "stop");
  const why = `${failed?.name ?? group.name}: ${failed?.status_description || "it did not succeed"}`;
  const isStalled = steps.some(({ status }) => status === "failed-pending-retry");
  const fault = failed?.error ?? faultOf("step_cancelled", "A step was cancelled", why);
  endWorkflow(draft, machine, { event: isStalled ? "stall" : "fail", why, fault });
}

function giveUpInTime(draft: WorkflowDraft, machine: Machine): void {
  if (!draft.isPast(giveUpAt(draft))) return;
  giveUp(draft, machine, "nobody retried or skipped the step that failed");
}

/** When a failed workflow gives up its place. */
export function giveUpAt(draft: WorkflowDraft): string {
  const { workflow, snapshot } = draft;
  const patienceMs = snapshot.has_waiting && keepsPlace(draft) ? stallInTheWayMs : stallMs;
  return new Date(Date.parse(workflow.status_at) + patienceMs).toISOString();
}

function endWaiting(draft: WorkflowDraft): void {
  if (draft.workflow.status === "approval-awaiting") draft.moveWorkflow("go-on");
}

function showWaiting(draft: WorkflowDraft): void {
  const { workflow } = draft;
  const waits = draft.steps.find(({ status }) => status === "approval-awaiting");
  if (waits === undefined) endWaiting(draft);
  else if (workflow.status === "in-progress")
    draft.moveWorkflow("await-approval", `${waits.name} waits for an approval`);
}
