import type { MoveTable } from "./moves.ts";

/** Every status that a step of a workflow can have. */
export const workflowStepStatuses = [
  "pending",
  "in-progress",
  "checking-plan",
  "approval-awaiting",
  "failed-pending-retry",
  "success",
  "approved",
  "auto-skipped",
  "user-skipped",
  "approval-retry",
  "approval-denied",
  "approval-expired",
  "error",
  "cancelled",
  "discarded",
  "not-attempted",
] as const;
export type WorkflowStepStatus = (typeof workflowStepStatuses)[number];

/** The state machine of a step. */
export const workflowStepTransitions = {
  begin: {
    from: ["pending"],
    to: "in-progress",
    when: "the steps before it have ended, and its back-off is over",
    also: "event started; its first job",
  },
  succeed: {
    from: ["in-progress"],
    to: "success",
    when: "its last job finished, or what it waits for is so",
    also: "event succeeded",
  },
  check: {
    from: ["in-progress"],
    to: "checking-plan",
    when: "it needs an approval, and its plan is there",
  },
  "auto-approve": {
    from: ["checking-plan"],
    to: "approved",
    when: "the workflow approves all",
    also: "a response auto-approve; event succeeded",
  },
  ask: {
    from: ["checking-plan"],
    to: "approval-awaiting",
    when: "somebody must answer",
    also: "the approval; event requested",
  },
  approve: {
    from: ["approval-awaiting"],
    to: "approved",
    when: "somebody approves a plan that is not older than 72 h",
    also: "events approved, succeeded",
  },
  replan: {
    from: ["approval-awaiting"],
    to: "approval-retry",
    when: "somebody approves an older plan, or asks for another",
    also: "its group is cloned; event cancelled",
  },
  deny: {
    from: ["approval-awaiting"],
    to: "approval-denied",
    when: "somebody denies it",
    also: "events rejected and failed; where the workflow goes on, rejected and cancelled",
  },
  expire: {
    from: ["approval-awaiting"],
    to: "approval-expired",
    when: "nobody answered for 30 d",
    also: "event failed",
  },
  "auto-skip": {
    from: ["pending", "in-progress", "checking-plan"],
    to: "auto-skipped",
    when: "there is nothing to do",
    also: "event succeeded, if it has begun",
  },
  stall: {
    from: ["in-progress", "checking-plan"],
    to: "failed-pending-retry",
    when: "it failed, and is not passed over",
    also: "event failed",
  },
  fail: {
    from: ["in-progress", "checking-plan", "failed-pending-retry"],
    to: "error",
    when: "it failed and is passed over or tried again, or nobody retried it in time",
    also: "event failed, unless it was told before",
  },
  skip: {
    from: ["pending", "failed-pending-retry"],
    to: "user-skipped",
    when: "somebody skips it, or denies the plan that it belongs to",
  },
  discard: {
    from: ["pending"],
    to: "discarded",
    when: "its group stopped, or is tried again as a whole",
  },
  leave: {
    from: ["pending"],
    to: "not-attempted",
    when: "the workflow failed before it",
  },
  cancel: {
    from: ["pending", "in-progress", "checking-plan", "approval-awaiting", "failed-pending-retry"],
    to: "cancelled",
    when: "somebody cancels it or the workflow, and its job, if it has one, has stopped",
    also: "event cancelled, if it has begun and not ended",
  },
} as const satisfies MoveTable<WorkflowStepStatus>;
export type WorkflowStepEvent = keyof typeof workflowStepTransitions;

/** Statuses of steps that are not done. */
const openStepStatuses = [
  "pending",
  "in-progress",
  "checking-plan",
  "approval-awaiting",
  "failed-pending-retry",
] as const satisfies readonly WorkflowStepStatus[];

/** Whether a step of this status has ended. */
export const isEndedStep = (status: WorkflowStepStatus): boolean =>
  !(openStepStatuses as readonly WorkflowStepStatus[]).includes(status);

/** What a step, or a group, tells what it is a part of to do next. */
export const stepDirectives = [
  "continue",
  "stop",
  "retry",
  "retry-group",
  "skip-group",
  "await-approval",
] as const;
export type StepDirective = (typeof stepDirectives)[number];

/** How somebody can answer an approval. */
export const approvalResponseTypes = [
  "approve",
  "deny",
  "deny-skip-current",
  "deny-skip-current-and-dependents",
  "retry",
] as const;
export type ApprovalResponseType = (typeof approvalResponseTypes)[number];
