import { isApprovedAlready } from "./self-approval.ts";
import type { FoundPlan, Machine, PlanToApprove } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Step } from "./workflow-rows.ts";

const dayMs = 24 * 3_600_000;
/** How long somebody may think. */
export const approvalMs = 30 * dayMs;

/** What a step says whose plan changes nothing. */
export const nothingChanges = "nothing would change";

type Asking = { readonly step: Step; readonly plan: PlanToApprove };

/** Decides what becomes of a plan that a job has made: passed over, only shown, approved, or asked for. */
export function checkPlan(
  draft: WorkflowDraft,
  machine: Machine,
  { step, found }: { readonly step: Step; readonly found: FoundPlan },
): void {
  const { plan, isNoOp, drift } = found;
  draft.moveStep(step, "check");
  if (draft.workflow.plan_only) {
    const description = isNoOp ? nothingChanges : found.would;
    draft.moveStep(step, "auto-approve", { directive: "continue", description });
    keepPlan(draft, { step, plan });
    endWell(draft, machine, step);
    if (drift !== undefined) draft.tellStep(step, { transition: "detected", drift });
  } else if (isNoOp && found.skipsNoOps) {
    draft.moveStep(step, "auto-skip", { directive: "skip-group", description: nothingChanges });
    endWell(draft, machine, step);
  } else {
    const isGiven = isApprovedAlready(draft.workflow) || found.isApprovedByPolicies;
    const isAsked = found.mustBeAsked === true;
    const why = isAsked
      ? "a recovery is approved by somebody, whatever approves by itself"
      : undefined;
    approve(draft, machine, { step, plan, isGiven: isGiven && !isAsked, why });
  }
}

/** Somebody is asked to approve a plan, or it is approved at once. */
export function askForApproval(draft: WorkflowDraft, machine: Machine, asking: Asking): void {
  draft.moveStep(asking.step, "check");
  approve(draft, machine, { ...asking, isGiven: isApprovedAlready(draft.workflow) });
}

function approve(
  draft: WorkflowDraft,
  machine: Machine,
  {
    step,
    plan,
    isGiven,
    why,
  }: Asking & { readonly isGiven: boolean; readonly why?: string | undefined },
): void {
  const expiresAt = keepPlan(draft, { step, plan }, isGiven);
  if (isGiven) {
    draft.moveStep(step, "auto-approve", { directive: "continue" });
    endWell(draft, machine, step);
    return;
  }
  const isOwn = draft.workflow.approval_option === "approve-all";
  const ofOwn = isOwn
    ? "the person who set approve-all is behind this workflow, so someone else must approve"
    : "";
  const description = why ?? ofOwn;
  draft.moveStep(step, "ask", { directive: "await-approval", description });
  step.deadline_at = expiresAt;
  machine.kindOf(step).asked?.(draft, step);
  const { id, type } = plan;
  draft.tellStep(step, {
    transition: "requested",
    approval: { id, type, expires_at: expiresAt },
  });
}

/** Keeps what is approved, or shown; answers until when it can be. */
function keepPlan(draft: WorkflowDraft, { step, plan }: Asking, isGiven = true): string {
  const { id, type, digest } = plan;
  const expiresAt = draft.after(approvalMs);
  draft.contents.set(id, plan.contents);
  draft.shown.set(id, plan.shown);
  draft.approvals.push({
    id,
    step_id: step.id,
    type,
    plan_digest: digest,
    created_at: draft.now,
    expires_at: expiresAt,
    response_id: isGiven ? draft.newId("apr") : null,
    response_type: isGiven ? "auto-approve" : null,
    note: "",
    responded_at: isGiven ? draft.now : null,
    responded_by_id: "",
  });
  return expiresAt;
}

function endWell(draft: WorkflowDraft, machine: Machine, step: Step): void {
  step.finished_at = draft.now;
  draft.tellStep(step, { transition: "succeeded" });
  machine.kindOf(step).ended?.(draft, step, false);
}
