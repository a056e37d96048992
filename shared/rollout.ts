import type { MoveTable } from "./moves.ts";

/** Every status of a rollout: an order to many processes, carried out a few at a time. */
export const rolloutStatuses = [
  "requested",
  "in-progress",
  "completed",
  "failed",
  "cancelled",
] as const;
export type RolloutStatus = (typeof rolloutStatuses)[number];

/** The state machine of a rollout. */
export const rolloutTransitions = {
  begin: { from: ["requested"], to: "in-progress", when: "a broker takes its first step" },
  complete: {
    from: ["requested", "in-progress"],
    to: "completed",
    when: "every process is done or was skipped",
  },
  fail: {
    from: ["requested", "in-progress"],
    to: "failed",
    when: "a process failed, and those that were asked with it have ended",
    also: "nobody is asked after a failure",
  },
  cancel: {
    from: ["requested", "in-progress"],
    to: "cancelled",
    when: "an operator called it off, and those that were asked before have ended",
  },
} as const satisfies MoveTable<RolloutStatus>;

/** What has become of one of its processes. */
export const rolloutTargetStatuses = ["waiting", "ordered", "done", "skipped", "failed"] as const;
