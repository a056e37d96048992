/** Statuses of an execution in the order in which it passes them; steps may be left out, none goes back. */
export const executionSteps = ["pending", "initializing", "in-progress", "cleaning-up"] as const;

/** How an execution can end, and the move that its end makes of the job. */
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

/** A final execution is never left. */
export function isExecutionEnd(status: ExecutionStatus): status is ExecutionEnd {
  return Object.hasOwn(executionEnds, status);
}
