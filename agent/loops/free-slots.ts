import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import { roomForPods } from "../executor/room-for-pods.ts";
import { servedSlots } from "../register/served-slots.ts";
import type { LoopContext } from "./loop-context.ts";

/** How many more jobs of each group can be claimed now; none while the agent shuts down or the disk is full. */
export function freeSlots(parts: LoopContext): Readonly<Partial<Record<RunnerJobGroup, number>>> {
  const { agent, shutdown, settings, figures } = parts;
  if (shutdown.isRequested() || figures.notClaiming !== undefined) return {};
  if (figures.claimedJobs >= parts.mostJobs) return {};
  const free: Partial<Record<RunnerJobGroup, number>> = {};
  for (const [group, slots] of Object.entries(servedSlots(agent.config, settings.current()))) {
    const left = Math.min(slots - agent.runningJobs.count(group), roomForPods(agent, group));
    if (left > 0) free[group as RunnerJobGroup] = left; // its keys are groups
  }
  return free;
}
