/** What reports of policies are about. */
export const reportOwners = [
  "component_builds",
  "install_deploys",
  "install_sandbox_runs",
] as const;
export type PolicyReportOwner = (typeof reportOwners)[number];
