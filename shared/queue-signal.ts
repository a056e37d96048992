import { isLast, type MoveTable } from "./moves.ts";

/** Every status that a signal can have. */
export const signalStatuses = [
  "queued",
  "in-flight",
  "retrying",
  "finished",
  "dead",
  "expired",
  "cancelled",
] as const;
export type SignalStatus = (typeof signalStatuses)[number];

/** The statuses of signals that are in their queue; those of all others are stored as ends. */
export const liveSignalStatuses = [
  "queued",
  "in-flight",
  "retrying",
] as const satisfies SignalStatus[];

/** How a signal leaves its queue. A dead one can come back. */
export const signalEnds = [
  "finished",
  "dead",
  "expired",
  "cancelled",
] as const satisfies SignalStatus[];

/** The state machine of a signal. An enqueue creates it as queued. */
export const signalTransitions = {
  start: {
    from: ["queued"],
    to: "in-flight",
    when: "it is its turn: a worker claims it, or the broker runs it",
    also: "a new lease; the execution is counted",
  },
  lapse: {
    from: ["in-flight"],
    to: "queued",
    when: "its lease ran out and executions remain",
    also: "it is first in line again",
  },
  return: {
    from: ["in-flight"],
    to: "queued",
    when: "the answer of its claim could not be delivered",
    also: "it is first in line again; the execution is not counted",
  },
  retry: {
    from: ["in-flight"],
    to: "retrying",
    when: "its execution failed and executions remain",
    also: "a back-off begins; in a queue with one place it keeps that place",
  },
  yield: {
    from: ["in-flight"],
    to: "retrying",
    when: "its holder waits for a person",
    also: "it gives up its slot; nothing ends it but its holder, a cancel or a purge",
  },
  requeue: {
    from: ["retrying"],
    to: "queued",
    when: "the back-off is over, or its holder goes on",
    also: "it has its old place in line",
  },
  leave: {
    from: ["queued", "retrying"],
    to: "finished",
    when: "its holder, which gave its place back, has ended",
    also: "it takes no place again",
  },
  finish: { from: ["in-flight"], to: "finished", when: "its execution was successful" },
  die: {
    from: ["in-flight"],
    to: "dead",
    when: "its execution failed, or its lease ran out, and no execution remains; or the worker says not to retry",
    also: "it can be redriven",
  },
  expire: {
    from: ["queued", "retrying"],
    to: "expired",
    when: "expires_at has come",
    also: "it is not executed",
  },
  cancel: {
    from: ["queued", "in-flight", "retrying"],
    to: "cancelled",
    when: "it was cancelled, or its queue was purged",
    also: "a worker that has its lease loses it",
  },
  redrive: {
    from: ["dead"],
    to: "queued",
    when: "an operator redrives it",
    also: "it is last in line, with all its executions again",
  },
} as const satisfies MoveTable<SignalStatus>;

/** A status that no row of the table leaves is final. */
export function isFinalSignal(status: SignalStatus): boolean {
  return isLast(signalTransitions, status);
}
