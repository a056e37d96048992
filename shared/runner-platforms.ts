/** Where the runners of a group run. */
export const runnerPlatforms = [
  "unknown",
  "aws-ecs",
  "aws-eks",
  "azure-aks",
  "azure-acs",
  "gcp-gke",
  "local",
  "aws",
  "azure",
  "gcp",
] as const;
export type RunnerPlatform = (typeof runnerPlatforms)[number];

export const runnerGroupTypes = ["install", "org"] as const;
export type RunnerGroupType = (typeof runnerGroupTypes)[number];
