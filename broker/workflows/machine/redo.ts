import { problem } from "../../../shared/problem.ts";
import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import { cloneGroup, cloneStep } from "./clone-steps.ts";
import { countRetries } from "./count-retries.ts";
import type { Machine } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Group, Run, Step } from "./workflow-rows.ts";

/** How often somebody may retry one step. */
const mostRetries = 10;

/** How the id of the run ends that somebody asks for: the same each time where it is the same request. */
export type RunEnd = string | undefined;

/** Tries a step that failed again, and the workflow goes on from it. 409 for what cannot be retried. */
export function retryStep(draft: WorkflowDraft, step: Step, end?: RunEnd): void {
  if (isMade(draft, end)) return;
  requireStalled(draft, step, "not_retryable");
  if (step.params["retryable"] === false)
    throw problem.conflict("not_retryable", "This step cannot be retried.");
  const most = Number(step.params["most_retries"] ?? mostRetries);
  if (countRetries(draft, step) >= most)
    throw problem.conflict(
      "retries_exhausted",
      `This step was already retried ${most} times. Skip it, or cancel the workflow.`,
    );
  const group = draft.groupOf(step);
  const isGroup = step.params["retries_group"] === true;
  const directive = isGroup ? "retry-group" : "retry";
  draft.moveStep(step, "fail", { description: step.status_description, directive });
  if (isGroup) {
    closeOthers(draft, group);
    group.result_directive = "retry-group";
    cloneGroup(draft, group);
  } else {
    cloneStep(draft, step, null);
    group.result_directive = null;
  }
  redo(draft, { type: "retry", step, end });
}

/** The other steps of a group that is tried again as a whole: each of them has a new row. */
function closeOthers(draft: WorkflowDraft, group: Group): void {
  for (const other of draft.stepsOf(group)) {
    const { status, status_description: description } = other;
    if (status === "pending") {
      draft.moveStep(other, "discard");
      other.finished_at = draft.now;
    } else if (status === "failed-pending-retry")
      draft.moveStep(other, "fail", { description, directive: "retry-group" });
  }
}

/** Passes over a step that failed, and the workflow goes on after it. 409 for what cannot be skipped. */
export function skipStep(draft: WorkflowDraft, step: Step, end?: RunEnd): void {
  if (isMade(draft, end)) return;
  requireStalled(draft, step, "not_skippable");
  if (step.params["skippable"] !== true)
    throw problem.conflict("not_skippable", "This step cannot be skipped: what follows needs it.");
  draft.moveStep(step, "skip", { directive: "continue", description: step.status_description });
  draft.groupOf(step).result_directive = null;
  redo(draft, { type: "skip", step, end });
}

function requireStalled(draft: WorkflowDraft, step: Step, code: string): void {
  const { workflow } = draft;
  if (workflow.is_cancelling)
    throw problem.conflict(
      "cancelling",
      "The workflow is being cancelled, so no further step can start.",
    );
  if (step.status !== "failed-pending-retry" || isFinishedWorkflow(workflow.status))
    throw problem.conflict(
      code,
      `Only a step that failed can be retried or skipped. This one is ${step.status}.`,
    );
  if (workflow.status !== "failed-pending-retry")
    throw problem.conflict(
      "group_open",
      "Other steps of its group are still running. Wait for them, then try again.",
    );
}

/** The same request began its run before, and nobody heard. */
const isMade = ({ runs }: WorkflowDraft, end: RunEnd): boolean =>
  end !== undefined && runs.some(({ id }) => id.endsWith(end));

type Redo = { readonly type: Run["type"]; readonly step: Step; readonly end: RunEnd };

function redo(draft: WorkflowDraft, wanted: Redo): void {
  draft.workflow.error = null;
  draft.moveWorkflow("redo");
  draft.runs.push({ ...newRun(draft, wanted), status: "in-progress", started_at: draft.now });
  draft.tellWorkflow({ transition: "started" });
}

function newRun(draft: WorkflowDraft, { type, step, end = "" }: Redo): Run {
  const id = draft.newId("wfr");
  return {
    id: id.slice(0, id.length - end.length) + end,
    type,
    status: "pending",
    start_from_idx: step.idx,
    trigger_step_id: step.id,
    created_at: draft.now,
    started_at: null,
    finished_at: null,
  };
}

/** Goes on with a workflow that ended as an error, at the first step that did not succeed, when it is its turn again. */
export function resumeWorkflow(
  draft: WorkflowDraft,
  { isSuperseded = () => false, isBehindAnother = () => false }: Partial<Machine> = {},
  end?: RunEnd,
): void {
  if (isMade(draft, end)) return;
  const { workflow } = draft;
  if (workflow.shares_place)
    throw problem.conflict(
      "not_resumable",
      `It is a child of workflow ${workflow.parent_id} and shares its place in the lane. Resume that one.`,
    );
  if (workflow.status !== "error")
    throw problem.conflict(
      "not_resumable",
      `Only a workflow that ended as an error can be resumed. This one is ${workflow.status}.`,
    );
  if (isSuperseded(draft))
    throw problem.conflict(
      "superseded",
      "Another change of the install has started since. Start a new workflow.",
    );
  if (isBehindAnother(draft))
    throw problem.conflict(
      "superseded",
      "Another change of the install is waiting in the lane and would start first. Cancel it, or start a new workflow.",
    );
  const groups = draft.liveGroups();
  const from = groups.find(({ result_directive: said }) => said === null || said === "stop");
  const step =
    from && draft.stepsOf(from).find(({ result_directive: said }) => said !== "continue");
  if (from === undefined || step === undefined)
    throw problem.conflict("not_resumable", "It has no steps left to run. Start another workflow.");
  for (const group of groups.filter(({ group_idx }) => group_idx >= from.group_idx))
    cloneGroup(draft, group);
  draft.moveWorkflow("resume", "it was resumed");
  Object.assign(workflow, { error: null, finished_at: null });
  draft.newSignalId = draft.newId("sig");
  workflow.signal_id = draft.newSignalId;
  draft.runs.push(newRun(draft, { type: "resume", step, end }));
}
