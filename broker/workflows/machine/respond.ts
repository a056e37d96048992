import { problem } from "../../../shared/problem.ts";
import type { ApprovalResponseType } from "../../../shared/workflow-step.ts";
import { type Chain, isApprovedAlready } from "./self-approval.ts";
import { faultOf, type Machine } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Approval, Step } from "./workflow-rows.ts";

const hourMs = 3_600_000;
/** A plan that is older is made again instead of being carried out. */
const freshMs = 72 * hourMs;

/** An answer, and who gives it. */
export type Response = {
  readonly type: ApprovalResponseType;
  readonly note: string;
  readonly byId: string;
  /** The digest of the plan that was read; undefined: whatever it is. */
  readonly digest?: string | undefined;
  /** The id that it gets: the same each time where it is the same request. */
  readonly id?: string;
};
export type Answered = { readonly id: string; readonly outcome: "applied" | "replanned" };

/** Answers the approval that a step waits for. 409 when it waits for none any more, 412 when it is another plan. */
export function respond(
  draft: WorkflowDraft,
  machine: Machine,
  { step, response }: { readonly step: Step; readonly response: Response },
): Answered {
  const approval = draft.approvalOf(step);
  if (approval === undefined) throw problem.notFound("approval");
  const { id = draft.newId("apr") } = response;
  if (approval.response_id === id)
    // the same request gave it before, and nobody heard
    return { id, outcome: step.status === "approval-retry" ? "replanned" : "applied" };
  requireOpen(draft, step, approval);
  if (response.digest !== undefined && response.digest !== approval.plan_digest)
    throw problem.preconditionFailed(
      "The plan has changed since you read it. Read it again, then answer.",
    );
  const { type, note, byId } = response;
  Object.assign(approval, {
    response_id: id,
    response_type: type,
    note,
    responded_at: draft.now,
    responded_by_id: byId,
  });
  const stale = type === "approve" ? whyStale(draft, machine, { step, approval }) : undefined;
  const outcome = move(draft, step, { approval, response, stale });
  if (type === "deny-skip-current-and-dependents") skipDependents(draft, step);
  step.finished_at = draft.now;
  step.deadline_at = null;
  machine.kindOf(step).ended?.(draft, step, false);
  return { id, outcome };
}

function requireOpen(draft: WorkflowDraft, step: Step, approval: Approval): void {
  if (approval.response_type !== null)
    throw problem.conflict(
      "approval_answered",
      `This approval was already answered: ${approval.response_type}.`,
    );
  if (draft.workflow.is_cancelling || step.status === "cancelled")
    throw problem.conflict(
      "workflow_cancelled",
      "The workflow is cancelled or is being cancelled.",
    );
  if (step.status !== "approval-awaiting" || draft.isPast(step.deadline_at))
    throw problem.conflict("approval_expired", "The approval has expired: nobody can answer it.");
}

type Asked = { readonly step: Step; readonly approval: Approval };

/** Why another plan is made in place of one that is approved. */
function whyStale(
  draft: WorkflowDraft,
  machine: Machine,
  { step, approval }: Asked,
): string | undefined {
  if (Date.parse(approval.created_at) + freshMs < draft.nowMs)
    return "the plan was too old; a new one is being made";
  return machine.kindOf(step).whyStale?.(draft, step);
}

/** What needs what was denied is passed over: its groups are told so when they are made. */
function skipDependents(draft: WorkflowDraft, { params }: Step): void {
  const { component, is_sandbox: isSandbox, is_teardown: isTeardown, depends_on: own } = params;
  const below: readonly unknown[] = isTeardown === true && Array.isArray(own) ? own : [];
  for (const later of draft.steps.filter(({ status }) => status === "pending")) {
    const { depends_on: needs, component: part, of_component: of, is_sandbox } = later.params;
    const name = part ?? of;
    const isOfSandbox = isSandbox === true && name !== undefined;
    // What stays keeps what it needs, and what is not there keeps nothing of what needs it.
    const isKept = isTeardown === true && (is_sandbox === true || below.includes(name));
    const isNeeding =
      isTeardown !== true &&
      Array.isArray(needs) &&
      (needs.includes(component) || of === component);
    if (!isOfSandbox && !isKept && !isNeeding) continue;
    draft.moveStep(later, "skip", {
      directive: "continue",
      description: "it needs what was denied",
    });
    later.finished_at = draft.now;
  }
}

type Answer = {
  readonly approval: Approval;
  readonly response: Response;
  readonly stale: string | undefined;
};

function move(
  draft: WorkflowDraft,
  step: Step,
  { approval, response: { type, note }, stale }: Answer,
): Answered["outcome"] {
  const expiresAt = new Date(approval.expires_at).toISOString(); // as it was told when it was asked for
  const said = { id: approval.id, type: approval.type, expires_at: expiresAt };
  const answer = { ...said, response_type: type, ...(note !== "" && { note }) };
  if (type === "retry" || stale !== undefined) {
    const description = stale ?? "a new plan was asked for";
    draft.moveStep(step, "replan", { description, directive: "retry-group" });
    draft.tellStep(step, { transition: "cancelled" });
    return "replanned";
  }
  if (type === "approve") {
    draft.moveStep(step, "approve", { directive: "continue", description: note });
    draft.tellStep(step, { transition: "approved", approval: answer });
    draft.tellStep(step, { transition: "succeeded" });
    return "applied";
  }
  const directive = type === "deny" ? "stop" : "skip-group";
  const error = note === "" ? "it was denied" : `it was denied: ${note}`;
  draft.moveStep(step, "deny", { directive, description: error });
  draft.tellStep(step, { transition: "rejected", approval: answer });
  if (type === "deny") {
    const why = note || "it was denied";
    const fault = faultOf("approval_denied", "It was denied", why, { retryable: false });
    step.error = { ...fault, step_id: step.id };
    draft.tellStep(step, { transition: "failed", error });
  } else draft.tellStep(step, { transition: "cancelled" });
  return "applied";
}

type NewOption = {
  readonly option: "prompt" | "approve-all";
  readonly byId: string;
  /** Who stands behind them. */
  readonly chain: Chain;
};

/** Everything that waits for an approval is approved from now on, what waits now, too, unless its time is up; or asked for again. */
export function setApprovalOption(
  draft: WorkflowDraft,
  machine: Machine,
  { option, byId, chain }: NewOption,
): void {
  const isSet = option === "prompt" || isApprovedAlready(draft.workflow);
  if (isSet && draft.workflow.approval_option === option) return;
  draft.workflow.approval_option = option;
  if (option === "prompt") return;
  draft.approveAllBy = byId;
  draft.workflow.approve_all_chain = chain;
  const waiting = draft.steps.filter(
    ({ status, deadline_at: until }) => status === "approval-awaiting" && !draft.isPast(until),
  );
  for (const step of waiting)
    respond(draft, machine, { step, response: { type: "approve", note: "approve-all", byId } });
}
