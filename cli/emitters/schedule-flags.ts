import { UsageError } from "../../shared/command-line/usage-error.ts";
import { missedPolicies, overlapPolicies } from "../../shared/queue-emitter.ts";
import { readDurationNs, readWhole } from "../flags/read-flags.ts";

/** When an emitter emits, as flags. */
export const scheduleFlags = {
  cron: {
    value: "EXPRESSION",
    summary: 'Five fields, like "30 2 * * MON-FRI", or a macro like @daily.',
  },
  "time-zone": { value: "ZONE", summary: "The time zone of --cron (default UTC)." },
  at: { value: "INSTANT", summary: "Once, at this instant, like 2027-01-31T18:00:00Z." },
  in: { value: "DURATION", summary: "Once, after this time, like 15m." },
  jitter: {
    value: "DURATION",
    summary: "Spread ticks: each is delayed by up to this, by the same amount for one emitter.",
  },
  missed: {
    value: "POLICY",
    choices: missedPolicies,
    summary: "What to emit for ticks that an outage missed (default once).",
  },
  "missed-limit": { value: "N", summary: "With --missed all: at most this many (default 10)." },
  overlap: {
    value: "POLICY",
    choices: overlapPolicies,
    summary: "Whether to emit while its last signal is still in the queue (default skip).",
  },
} as const;

type Given = {
  readonly [Name in Exclude<keyof typeof scheduleFlags, "missed" | "overlap">]: string | undefined;
} & {
  readonly missed: (typeof missedPolicies)[number] | undefined;
  readonly overlap: (typeof overlapPolicies)[number] | undefined;
};

/** The members of a request that these flags name. */
export function readSchedule(flags: Given) {
  return {
    cron_schedule: flags.cron,
    time_zone: flags["time-zone"],
    scheduled_at: flags.at,
    delay: readDurationNs("--in", flags.in),
    jitter_window: readDurationNs("--jitter", flags.jitter),
    missed_policy: flags.missed,
    missed_limit: readWhole("--missed-limit", flags["missed-limit"]),
    overlap_policy: flags.overlap,
  };
}

/** The mode that the flags mean; a UsageError unless exactly one of them is there. */
export function readMode({ cron, at, in: after }: Given): "cron" | "scheduled" | "fire_once" {
  if ([cron, at, after].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError("Say when: exactly one of --cron, --at and --in.");
  }
  if (cron !== undefined) return "cron";
  return at === undefined ? "fire_once" : "scheduled";
}
