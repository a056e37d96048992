/** Every status that a run of an action can have. */
export const actionRunStatuses = [
  "queued",
  "in-progress",
  "finished",
  "error",
  "timed-out",
  "cancelled",
  "retried",
] as const;
export type ActionRunStatus = (typeof actionRunStatuses)[number];
