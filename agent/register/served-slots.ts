import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import { runnerJobGroups, type RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { GroupSlots } from "../config/parsers.ts";
import type { AgentConfig } from "../config/read-config.ts";

const mostSlots = 100;

/**
 * How many jobs of each group may run here: as the agent's settings say, else by the mode; always within the runner's
 * settings.
 */
export function servedSlots(
  config: Pick<AgentConfig, "groups" | "mode">,
  settings: Pick<RunnerSettings, "job_group_parallelism">,
): GroupSlots {
  const served = config.groups ?? defaultServes(config.mode, true) ?? {};
  const slots: Partial<Record<RunnerJobGroup, number>> = {};
  for (const group of runnerJobGroups) {
    if (served[group] === undefined) continue;
    const allowed = Number(settings.job_group_parallelism[group] ?? "1");
    slots[group] = Math.min(config.groups?.[group] ?? mostSlots, allowed, mostSlots);
  }
  return slots;
}
