import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { emitterName } from "./emitter-name.ts";

/** A cron trigger of an action, and what its emitter is called. */
export type CronTrigger = {
  readonly name: string;
  readonly action: string;
  readonly schedule: string;
};

/** The cron triggers of a config, each once; another schedule is another trigger. */
export function cronTriggersOf({
  actions = [],
}: Pick<AppConfigDocument, "actions">): readonly CronTrigger[] {
  const found = new Map<string, CronTrigger>();
  for (const { name: action, triggers = [] } of actions)
    for (const { type, cron_schedule: schedule } of triggers)
      if (type === "cron" && schedule !== undefined) {
        const name = emitterName(action, schedule);
        found.set(name, { name, action, schedule });
      }
  return [...found.values()];
}
