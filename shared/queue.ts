import type { MoveTable } from "./moves.ts";

/** Every status that a queue of signals can have. */
export const queueStatuses = ["active", "idle", "paused"] as const;
export type QueueStatus = (typeof queueStatuses)[number];

/** The state machine of a queue. It is created as active. */
export const queueTransitions = {
  idle: {
    from: ["active"],
    to: "idle",
    when: "it had no signal for its idle timeout",
    also: "no clock runs for it any more",
  },
  wake: { from: ["idle"], to: "active", when: "a signal is enqueued" },
  pause: {
    from: ["active", "idle"],
    to: "paused",
    when: "an operator pauses it",
    also: "signals are still taken; none begins",
  },
  resume: {
    from: ["paused"],
    to: "active",
    when: "an operator resumes it, or the pause's end time comes",
  },
} as const satisfies MoveTable<QueueStatus>;
