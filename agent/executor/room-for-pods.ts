import type { LocalContext } from "../local-context.ts";

/** Their jobs concern the agent, and are its own affair wherever other jobs are done. */
const ownGroups: readonly string[] = ["operations", "management"];

/** Whether a job of this group gets a pod, where jobs do. */
export function isForPod({ group }: { readonly group: string }): boolean {
  return !ownGroups.includes(group);
}

/** How many more jobs of a group there is a pod for. */
export function roomForPods(
  { config, runningJobs }: Pick<LocalContext, "config" | "runningJobs">,
  group: string,
): number {
  if (config.executor === "host" || !isForPod({ group })) return Number.POSITIVE_INFINITY;
  return Math.max(0, config.executorMaxPods - runningJobs.all().filter(isForPod).length);
}
