import type { Cron } from "../../shared/cron/cron.ts";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { formatDuration } from "../../shared/duration.ts";
import { type Pointer, type ProblemError, problem } from "../../shared/problem.ts";
import type { EmitterMode } from "../../shared/queue-emitter.ts";
import { jitterOf } from "./jitter-of.ts";
import { graceOf } from "./missed-ticks.ts";
import { isZoneFault, parseZone, type Zone } from "./parse-zone.ts";
import { nextTick, shortestGap } from "./ticks.ts";

/** What says when an emitter emits, as it was given. */
export type ScheduleInput = {
  readonly cron_schedule?: string | null | undefined;
  readonly time_zone?: string | undefined;
  readonly jitter_window?: number | undefined;
  readonly scheduled_at?: string | null | undefined;
  readonly delay?: number | null | undefined;
};

/** The same as it is stored, with its first tick. */
export type Schedule = {
  readonly cron_schedule: string | null;
  readonly time_zone: string;
  readonly jitter_window: number;
  readonly grace: number;
  readonly scheduled_at: Date | null;
  readonly delay: number | null;
  readonly next_tick_at: Date;
  readonly next_emit_at: Date;
  /** Ticks count after it. */
  readonly schedule_at: Date;
};

/** The members that only some modes take, and the one that each cannot be without. */
const modes = {
  cron: {
    takes: [
      "cron_schedule",
      "time_zone",
      "jitter_window",
      "missed_policy",
      "missed_limit",
      "overlap_policy",
    ],
    needs: "cron_schedule",
  },
  scheduled: { takes: ["scheduled_at"], needs: "scheduled_at" },
  fire_once: { takes: ["delay"], needs: "delay" },
} as const satisfies Record<EmitterMode, { takes: readonly string[]; needs: string }>;
const modal = Object.values(modes).flatMap(({ takes }) => takes as readonly string[]);

/** Refuses with 422 what a mode does not take, and a new emitter without what its mode needs. */
export function requireMembersOf(
  mode: EmitterMode,
  given: Readonly<Record<string, unknown>>,
  { isNew }: { readonly isNew: boolean },
): void {
  const { takes, needs }: { takes: readonly string[]; needs: string } = modes[mode];
  const isGiven = (name: string): boolean => given[name] !== undefined;
  const errors = modal
    .filter((name) => isGiven(name) && !takes.includes(name))
    .map((name): ProblemError => {
      const detail = `An emitter of mode ${mode} has none. It takes ${takes.join(", ")}.`;
      return { pointer: `#/${name}`, code: "other_mode", detail };
    });
  if (isNew && !isGiven(needs)) {
    const detail = `An emitter of mode ${mode} needs it.`;
    errors.push({ pointer: `#/${needs}`, code: "required", detail });
  }
  if (errors.length > 0) throw problem.invalid(errors);
}

/** When an emitter emits from `now` on; 422 where a member is wrong, an instant is past, or there is no tick. */
export function readSchedule(
  { id, mode }: { readonly id: string; readonly mode: EmitterMode },
  given: ScheduleInput,
  now: Date,
): Schedule {
  if (mode === "cron") return readCron(id, given, now);
  const at =
    mode === "scheduled"
      ? new Date(given.scheduled_at ?? "")
      : new Date(now.getTime() + Math.floor((given.delay ?? 0) / 1e6));
  if (mode === "scheduled" && at <= now) {
    const detail = `This must be in the future: it is ${now.toISOString()} now.`;
    throw refused("#/scheduled_at", "past", detail);
  }
  const once = { next_tick_at: at, next_emit_at: at, scheduled_at: at, schedule_at: now };
  const delay = mode === "scheduled" ? null : (given.delay ?? 0);
  return { ...once, delay, cron_schedule: null, time_zone: "UTC", jitter_window: 0, grace: 60e9 };
}

function readCron(id: string, given: ScheduleInput, now: Date): Schedule {
  const { cron_schedule: text, time_zone, jitter_window = 0 } = given;
  const cron = parseCron(text ?? "");
  if (isCronFault(cron))
    throw refused("#/cron_schedule", `cron_${cron.fault}`, sentence(cron.message));
  const zone = parseZone(time_zone);
  if (isZoneFault(zone)) throw refused("#/time_zone", "time_zone", sentence(zone.message));
  const next = nextTick(cron, zone, now);
  if (next === undefined) throw refused("#/cron_schedule", "cron_never", "It has no next tick.");
  const gapMs = gapOf(cron, zone, now);
  if (jitter_window >= gapMs * 1e6) {
    const detail = `Give less than ${formatDuration(gapMs * 1e6)}, the shortest time between two ticks.`;
    throw refused("#/jitter_window", "jitter_too_long", detail);
  }
  return {
    cron_schedule: cron.text,
    time_zone: zone,
    jitter_window,
    grace: graceOf(gapMs) * 1e6,
    scheduled_at: null,
    delay: null,
    next_tick_at: next,
    next_emit_at: new Date(next.getTime() + jitterMs(id, jitter_window)),
    schedule_at: now,
  };
}

/** By how much an emitter's ticks are late on purpose. */
export function jitterMs(id: string, windowNs: number): number {
  return Math.floor(jitterOf(id, windowNs) / 1e6);
}

function gapOf(cron: Cron, zone: Zone, now: Date): number {
  return shortestGap(cron, zone, now) ?? Number.MAX_SAFE_INTEGER / 1e6;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function refused(pointer: Pointer, code: string, detail: string): Error {
  return problem.invalid([{ pointer, code, detail }]);
}
