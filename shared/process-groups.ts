import type { RunnerJobGroup } from "./runner-job-types.ts";

export const runnerProcessTypes = ["mng", "install", "build", "org", ""] as const;
export type RunnerProcessType = (typeof runnerProcessTypes)[number];

const orgGroups = ["sync", "build", "operations"] as const;

/** What a process serves that announces nothing; null: what its group's settings name. */
const servedByType: Record<RunnerProcessType, readonly RunnerJobGroup[] | null> = {
  install: ["sync", "sandbox", "deploy", "actions", "operations"],
  build: orgGroups,
  org: orgGroups,
  mng: ["management"],
  "": null,
};

/** What an agent of ours serves besides, unless it announces its groups. */
const servedByOursToo: Partial<Record<RunnerProcessType, readonly RunnerJobGroup[]>> = {
  install: ["health-checks", "runner", "image-actions", ""],
  build: ["health-checks"],
  org: ["health-checks"],
};

/** Group → slots of a process that announced nothing: one each; null when its settings decide. */
export function defaultServes(
  type: RunnerProcessType,
  isOurs: boolean,
): Partial<Record<RunnerJobGroup, number>> | null {
  const served = servedByType[type];
  if (served === null) return null;
  const groups = [...served, ...((isOurs && servedByOursToo[type]) || [])];
  return Object.fromEntries(groups.map((group) => [group, 1]));
}
