import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { secondNs } from "../../shared/duration.ts";
import type { signalTypes } from "../../shared/signal-types.ts";
import { cronTriggersOf } from "./cron-triggers.ts";
import { emitterName } from "./emitter-name.ts";
import { looksForDrift } from "./looks-for-drift.ts";

/** An emitter that an install is to have. */
export type WantedEmitter = {
  readonly name: string;
  readonly description: string;
  readonly type: keyof typeof signalTypes;
  readonly schedule: string;
  readonly jitterNs: number;
  /** What its signals say, besides the install. */
  readonly value: Readonly<Record<string, string>>;
};

/** The lanes of installs in which emitters are, with the types of their signals. */
export const emittingLanes = {
  actions: ["action-run"],
  plans: ["drift-run", "drift-run-sandbox"],
} as const satisfies Readonly<Record<string, readonly WantedEmitter["type"][]>>;

/** The emitters that a config gives to each install that has it: of cron triggers, and of looks for drift. */
export function wantedEmitters(config: AppConfigDocument): readonly WantedEmitter[] {
  return [
    ...cronTriggersOf(config).map(({ name, action, schedule }) => ({
      name,
      description: `Cron trigger of the action ${action}`,
      type: "action-run" as const,
      schedule,
      jitterNs: 30 * secondNs,
      value: { action_name: action },
    })),
    ...driftOf(config),
  ];
}

function driftOf({ components = [], sandbox }: AppConfigDocument): WantedEmitter[] {
  const jitterNs = 600 * secondNs;
  const found = components.flatMap((component) =>
    looksForDrift(component)
      ? {
          name: emitterName(`drift of ${component.name}`, component.drift_schedule),
          description: `Looks for drift of the component ${component.name}`,
          type: "drift-run" as const,
          schedule: component.drift_schedule,
          jitterNs,
          value: { component_name: component.name },
        }
      : [],
  );
  const schedule = sandbox?.drift_schedule;
  if (schedule === undefined) return found;
  const ofSandbox = {
    name: emitterName("drift of the sandbox", schedule),
    description: "Looks for drift of the sandbox",
    type: "drift-run-sandbox" as const,
    schedule,
    jitterNs,
    value: {},
  };
  return [...found, ofSandbox];
}
