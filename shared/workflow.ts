import type { MoveTable } from "./moves.ts";

/** Every status that a workflow can have. */
export const workflowStatuses = [
  "pending",
  "in-progress",
  "approval-awaiting",
  "failed-pending-retry",
  "success",
  "error",
  "cancelled",
] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];

/** The state machine of a workflow. It is created as pending, with a place in a lane. */
export const workflowTransitions = {
  start: {
    from: ["pending"],
    to: "in-progress",
    when: "it is its turn in its lane",
    also: "event started; its steps are generated, once; what cannot be generated fails it",
  },
  "await-approval": {
    from: ["in-progress"],
    to: "approval-awaiting",
    when: "a step waits for an approval",
    also: "the others of a parallel group run on",
  },
  "go-on": {
    from: ["approval-awaiting"],
    to: "in-progress",
    when: "no step waits for one any more",
  },
  stall: {
    from: ["in-progress"],
    to: "failed-pending-retry",
    when: "a step has failed, and nothing else of its group is open",
    also: "its run is an error; event failed",
  },
  redo: {
    from: ["failed-pending-retry"],
    to: "in-progress",
    when: "somebody retries or skips the step",
    also: "another run; event started",
  },
  "give-up": {
    from: ["failed-pending-retry"],
    to: "error",
    when: "nobody did for 30 d, or for 1 h while it keeps another one of the lane waiting; or somebody cancels a step",
    also: "what is left is not attempted; no event",
  },
  fail: {
    from: ["in-progress"],
    to: "error",
    when: "a group says stop: a step was denied, expired or cancelled",
    also: "what is left is not attempted; its run is an error; event failed",
  },
  succeed: {
    from: ["in-progress"],
    to: "success",
    when: "its last group has ended",
    also: "its run is a success; event succeeded",
  },
  resume: {
    from: ["error"],
    to: "pending",
    when: "somebody resumes it",
    also: "another run, at the end of the lane; the group of the first step that did not succeed, and all after it, are cloned",
  },
  cancel: {
    from: ["pending", "in-progress", "approval-awaiting", "failed-pending-retry"],
    to: "cancelled",
    when: "somebody cancels it, and its jobs have stopped",
    also: "from then on nothing begins; what finished all the same keeps its end; event cancelled if a run has begun and not ended",
  },
} as const satisfies MoveTable<WorkflowStatus>;
export type WorkflowEvent = keyof typeof workflowTransitions;

/** Statuses in which nothing more happens by itself. */
export const finishedWorkflowStatuses = ["success", "error", "cancelled"] as const;

/** Whether a workflow of this status has finished. */
export const isFinishedWorkflow = (status: WorkflowStatus): boolean =>
  (finishedWorkflowStatuses as readonly WorkflowStatus[]).includes(status);
