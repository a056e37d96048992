import { isLast, type MoveTable } from "./moves.ts";

/** Statuses of an execution in the order in which it passes them; steps may be left out, none goes back. */
export const executionSteps = ["pending", "initializing", "in-progress", "cleaning-up"] as const;

/** How an execution can end, and the event of that name: of the execution, and of the job that ends with it. */
export const executionEnds = {
  finished: "finish",
  failed: "fail",
  "timed-out": "expire",
  "not-attempted": "skip",
  cancelled: "cancel",
} as const;

export type ExecutionEnd = keyof typeof executionEnds;
export type ExecutionStatus = (typeof executionSteps)[number] | ExecutionEnd;

/** Every status of an execution, first to last. */
export const executionStatuses: readonly ExecutionStatus[] = [
  ...executionSteps,
  ...(Object.keys(executionEnds) as ExecutionEnd[]), // keys of a const object are its key type
];

/** The execution's state machine. A claim creates it as pending. A report of a status is the event that leads to it. */
export const executionTransitions = {
  initialize: {
    from: ["pending"],
    to: "initializing",
    when: "its process prepares the work",
  },
  start: {
    from: ["pending", "initializing"],
    to: "in-progress",
    when: "its process begins the work",
  },
  "clean-up": {
    from: ["pending", "initializing", "in-progress"],
    to: "cleaning-up",
    when: "the work is done; its process removes what it needed for it",
  },
  return: {
    from: ["pending", "initializing"],
    to: "not-attempted",
    when: "its process gives it back before the work began",
    also: "the job goes back to its queue, and the execution is not counted",
  },
  finish: { from: executionSteps, to: "finished", when: "its process reports success" },
  fail: {
    from: executionSteps,
    to: "failed",
    when: "its process reports a failure, is lost, or an operator ends it by force",
  },
  expire: {
    from: executionSteps,
    to: "timed-out",
    when: "the execution timeout passed, or its process says so",
    also: "the job goes back to its queue while executions remain",
  },
  skip: {
    from: executionSteps,
    to: "not-attempted",
    when: "its job is skipped, or nobody confirmed that it was received",
  },
  cancel: { from: executionSteps, to: "cancelled", when: "its job is cancelled" },
} as const satisfies MoveTable<ExecutionStatus>;

/** A final execution is never left. */
export function isExecutionEnd(status: ExecutionStatus): status is ExecutionEnd {
  return isLast<ExecutionStatus>(executionTransitions, status);
}
