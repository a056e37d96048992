import { isLast, type Move, statusAfter } from "./moves.ts";

/** Every status a job can have, in the words of the wire. `unknown` is for readers; the broker never writes it. */
export const runnerJobStatuses = [
  "queued",
  "available",
  "in-progress",
  "finished",
  "failed",
  "timed-out",
  "not-attempted",
  "cancelled",
] as const;
export type RunnerJobStatus = (typeof runnerJobStatuses)[number];

export type Transition = Move<RunnerJobStatus>;

/** The job's state machine: every move there is. All else about statuses is derived from this table. */
export const runnerJobTransitions = {
  release: {
    from: ["queued"],
    to: "available",
    when: "a slot is free, or the queue timeout passed",
  },
  claim: {
    from: ["available"],
    to: "in-progress",
    when: "one process takes it: an execution is created",
  },
  withdraw: {
    from: ["available"],
    to: "queued",
    when: "the available timeout passed and nobody took it",
  },
  return: {
    from: ["in-progress"],
    to: "queued",
    when: "given back before work began, or never confirmed; the execution is not counted",
  },
  retry: {
    from: ["in-progress"],
    to: "queued",
    when: "the execution ended without an answer and executions remain",
  },
  finish: { from: ["in-progress"], to: "finished", when: "the execution ended finished" },
  fail: {
    from: ["in-progress"],
    to: "failed",
    when: "the execution ended failed, was lost with no execution left, or an operator's order cut it",
  },
  expire: {
    from: ["in-progress"],
    to: "timed-out",
    when: "the execution timed out and no execution remains",
  },
  skip: {
    from: ["queued", "available", "in-progress"],
    to: "not-attempted",
    when: "its runner is gone, its queue was flushed, or the execution ended not-attempted",
  },
  cancel: {
    from: ["queued", "available", "in-progress"],
    to: "cancelled",
    when: "it was requested, the overall timeout passed, or the execution ended cancelled",
  },
} as const satisfies Record<string, Transition>;
export type RunnerJobEvent = keyof typeof runnerJobTransitions;

/** Which clock runs in which open status, and the move that its end makes; overall_timeout runs in all of them. */
export const runnerJobClocks = {
  queued: { timeout: "queue_timeout", expiry: "release" },
  available: { timeout: "available_timeout", expiry: "withdraw" },
  "in-progress": { timeout: "execution_timeout", expiry: "expire" },
} as const satisfies Partial<Record<RunnerJobStatus, { timeout: string; expiry: RunnerJobEvent }>>;

/** A status that no row of the table leaves is final. */
export function isFinal(status: RunnerJobStatus): boolean {
  return isLast(runnerJobTransitions, status);
}

/** Whether the table has a row for this event from this status. */
export function canMove(event: RunnerJobEvent, from: RunnerJobStatus): boolean {
  return statusAfter(runnerJobTransitions, from, event) !== undefined;
}
