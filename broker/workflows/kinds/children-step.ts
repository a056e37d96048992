import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import { isBeingCancelled, openChildren } from "../machine/cancel-workflow.ts";
import { faultOf, type StepKind, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { Child, CompositeFault, Params, Step } from "../machine/workflow-rows.ts";

/** A workflow that the step begins, by a word that is the step's own. */
export type PlannedChild = {
  readonly key: string;
  readonly type: string;
  readonly install_id: string;
  readonly params?: Params;
  readonly metadata?: Readonly<Record<string, string>>;
};

/** How many workflows may be above one. */
const mostDepth = 3;
/** How many one statement begins, which holds their lanes; the others are begun at the next look, at once. */
const mostAtOnce = 200;
const fullAgainMs = 10_000;

/**
 * Begins workflows, so many at once as it may, and waits for them. When one has failed no other begins, and those that run run out;
 * when the step is retried those that succeeded are not begun again.
 */
export const childrenStep: StepKind = {
  begin(draft, step) {
    if (draft.workflow.depth >= mostDepth) return { kind: "fault", fault: tooDeep };
    return advanceChildren(draft, step);
  },
  look: advanceChildren,
};

const tooDeep = faultOf(
  "internal",
  "Workflows are nested too deeply",
  `At most ${mostDepth} workflows may be above a workflow.`,
  { retryable: false },
);

function advanceChildren(draft: WorkflowDraft, step: Step): StepOutcome {
  const known = draft.childrenOf(step);
  const all = plannedOf(step).map((planned) => {
    const child = known.get(planned.key);
    return { planned, child, is: standingOf(step, child) };
  });
  if (isBeingCancelled(step)) return runOut(draft, step, all);
  const running = all.filter(({ is }) => is === "running").length;
  const bad = all.find(({ is }) => is === "failed") ?? all.find(({ is }) => is === "cancelled");
  const refused = all.find(({ planned }) => isGone(draft, step, planned));
  if (bad !== undefined || refused !== undefined || draft.workflow.is_cancelling) {
    if (running > 0) return { kind: "wait" };
    if (refused !== undefined && bad === undefined) return goneOf(refused.planned);
    if (bad?.child !== undefined) return endOf(bad.child);
  }
  if (all.every(({ is }) => is === "done")) return { kind: "done" };
  if (draft.workflow.is_cancelling) return { kind: "wait" };
  beginMore(draft, step, { all, running });
  return { kind: "wait" };
}

/** Somebody cancelled the step: it begins nothing more, and ends when what it began has. */
function runOut(draft: WorkflowDraft, step: Step, all: readonly Known[]): StepOutcome {
  const open = openChildren(draft, step);
  draft.leftChildren.push(...open);
  if (open.length > 0) return { kind: "wait" };
  if (all.every(({ is }) => is === "done")) return { kind: "done" };
  return { kind: "cancelled", detail: "it was cancelled" };
}

type Standing = "none" | "left" | "running" | "done" | "failed" | "cancelled";
type Known = {
  readonly planned: PlannedChild;
  readonly child: Child | undefined;
  readonly is: Standing;
};

/** What of another attempt did not succeed is begun again, once it has ended. */
function standingOf(step: Step, child: Child | undefined): Standing {
  if (child === undefined) return "none";
  if (child.status === "success") return "done";
  const isOfThis = child.step_id === step.id;
  if (child.status === "failed-pending-retry") return isOfThis ? "failed" : "left";
  if (!isFinishedWorkflow(child.status)) return "running";
  if (!isOfThis) return "none";
  return child.status === "cancelled" ? "cancelled" : "failed";
}

function beginMore(
  draft: WorkflowDraft,
  step: Step,
  { all, running }: { readonly all: readonly Known[]; readonly running: number },
): void {
  const most = Number(step.params["max_parallel"] ?? all.length);
  const isFull = ({ planned }: Known): boolean =>
    draft.refusedChildren[refOf(step, planned)] === "full";
  const left = all.filter(({ is }) => is === "left");
  draft.leftChildren.push(...left.flatMap(({ child }) => child?.id ?? []));
  // One whose lane is full keeps its turn: else each refusal would ask another lane, and there may be many.
  const next = all
    .filter(({ is }) => is === "none")
    .slice(0, Math.max(0, most - running))
    .filter((one) => !isFull(one))
    .slice(0, mostAtOnce);
  for (const { planned } of next)
    draft.newChildren.push({
      ref: refOf(step, planned),
      step,
      key: planned.key,
      type: planned.type,
      installId: planned.install_id,
      params: planned.params ?? {},
      metadata: planned.metadata ?? {},
    });
  const isPutOff = all.some(isFull);
  step.deadline_at = isPutOff ? draft.after(fullAgainMs) : null;
  const done = all.filter(({ is }) => is === "done").length;
  step.status_description = isPutOff
    ? "the lane of an install is full: it is tried again in 10 s"
    : `${done} of ${all.length} workflows have succeeded`;
}

const plannedOf = ({ params }: Step): readonly PlannedChild[] =>
  params["children"] as readonly PlannedChild[]; // of a type's groups

/** The same when the decision is made again, when the step may have another id. */
const refOf = ({ idx }: Step, { key }: PlannedChild): string => `${idx}/${key}`;

function isGone(draft: WorkflowDraft, step: Step, planned: PlannedChild): boolean {
  const why = draft.refusedChildren[refOf(step, planned)];
  return why !== undefined && why !== "full";
}

const goneOf = ({ install_id: id }: PlannedChild): StepOutcome => ({
  kind: "fault",
  fault: failed(`Install ${id} takes no workflows: it, or its lane, was deleted.`),
});

function endOf({ id, owner_id, status, status_description: said }: Child): StepOutcome {
  const of = `Workflow ${id} of install ${owner_id}`;
  if (status === "cancelled") return { kind: "cancelled", detail: `${of} was cancelled` };
  const fault = { ...failed(`${of} failed: ${said || status}`), facts: { workflow_id: id } };
  return { kind: "fault", fault };
}

const failed = (detail: string): CompositeFault =>
  faultOf("child_failed", "A child workflow failed", detail);
