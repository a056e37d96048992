import { createHash } from "node:crypto";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";

/** A cron trigger of an action, and what its emitter is called. */
export type CronTrigger = {
  readonly name: string;
  readonly action: string;
  readonly schedule: string;
};

const longestName = 200;

/** The cron triggers of a config, each once; another schedule is another trigger. */
export function cronTriggersOf({
  actions = [],
}: Pick<AppConfigDocument, "actions">): readonly CronTrigger[] {
  const found = new Map<string, CronTrigger>();
  for (const { name: action, triggers = [] } of actions)
    for (const { type, cron_schedule: schedule } of triggers)
      if (type === "cron" && schedule !== undefined) {
        const name = nameOf(action, schedule);
        found.set(name, { name, action, schedule });
      }
  return [...found.values()];
}

function nameOf(action: string, schedule: string): string {
  const whole = `${action}: ${schedule}`;
  if (whole.length <= longestName) return whole;
  return `${action}: ${createHash("sha256").update(schedule).digest("hex")}`;
}
