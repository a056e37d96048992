import type { LocalContext } from "../local-context.ts";

/** Jobs of these groups concern the agent itself: it runs them itself, wherever other jobs run. */
const ownGroups: readonly string[] = ["operations", "management"];

/** Whether a job of this group runs in a pod when the executor is a cluster. */
export function isForPod({ group }: { readonly group: string }): boolean {
  return !ownGroups.includes(group);
}

/** How many more jobs of a group may get a pod. */
export function roomForPods(
  { config, runningJobs }: Pick<LocalContext, "config" | "runningJobs">,
  group: string,
): number {
  if (config.executor === "host" || !isForPod({ group })) return Number.POSITIVE_INFINITY;
  return Math.max(0, config.executorMaxPods - runningJobs.all().filter(isForPod).length);
}
