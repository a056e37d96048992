import type { MoveTable } from "./moves.ts";

/** Every status that a process can have. */
export const processStatuses = [
  "pending",
  "active",
  "offline",
  "inactive",
  "pending-shutdown",
  "shutting-down",
  "shut-down",
] as const;
export type ProcessStatus = (typeof processStatuses)[number];

/** What a process may say of itself; the broker finds out the rest by its heartbeats. */
export const departingStatuses = ["pending-shutdown", "shutting-down", "shut-down"] as const;
export type DepartingStatus = (typeof departingStatuses)[number];

/** The state machine of a process. A registration creates it as pending. */
export const processTransitions = {
  beat: {
    from: ["pending", "offline", "inactive"],
    to: "active",
    when: "a heartbeat arrives",
    also: "one that was inactive must register again before it gets jobs",
  },
  silence: { from: ["pending", "active"], to: "offline", when: "no heartbeat for 60 s" },
  "give-up": {
    from: ["pending", "active", "offline", "pending-shutdown", "shutting-down"],
    to: "inactive",
    when: "no heartbeat for 5 min",
    also: "its executions are lost; its open shutdowns fail",
  },
  "announce-shutdown": {
    from: ["pending", "active", "offline", "inactive", "shutting-down"],
    to: "pending-shutdown",
    when: "the process says that it takes no new jobs",
    also: "its shutdown is in progress",
  },
  "begin-shutdown": {
    from: ["pending", "active", "offline", "inactive", "pending-shutdown"],
    to: "shutting-down",
    when: "the process says that it ends its jobs",
    also: "its shutdown is in progress",
  },
  "shut-down": {
    from: ["pending", "active", "offline", "inactive", "pending-shutdown", "shutting-down"],
    to: "shut-down",
    when: "the process says so, or another one takes over from it",
    also: "its executions end, or go to the one that takes over; its shutdown is completed",
  },
} as const satisfies MoveTable<ProcessStatus>;

/** Every status of a shutdown that a process was asked for. */
export const shutdownStatuses = [
  "requested",
  "in-progress",
  "completed",
  "failed",
  "cancelled",
] as const;
export type ShutdownStatus = (typeof shutdownStatuses)[number];

/** The state machine of a shutdown. */
export const shutdownTransitions = {
  begin: {
    from: ["requested"],
    to: "in-progress",
    when: "the process says that it is shutting down",
  },
  complete: {
    from: ["requested", "in-progress"],
    to: "completed",
    when: "the process says so, has shut down, or another one takes over from it",
  },
  fail: {
    from: ["requested", "in-progress"],
    to: "failed",
    when: "the broker gives up on the process",
  },
  cancel: {
    from: ["requested", "in-progress"],
    to: "cancelled",
    when: "a later order replaces it",
  },
} as const satisfies MoveTable<ShutdownStatus>;
