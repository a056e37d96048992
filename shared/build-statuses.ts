/** Every status that a build of a component can have. */
export const buildStatuses = [
  "planning",
  "building",
  "active",
  "error",
  "cancelled",
  "policy_failed",
  "deleting",
] as const;
export type BuildStatus = (typeof buildStatuses)[number];

/** Whether a build of this status has ended. */
export const isEndedBuild = (status: BuildStatus): boolean =>
  status !== "planning" && status !== "building";
