import type { Cron } from "../../shared/cron/cron.ts";
import type { Zone } from "./parse-zone.ts";
import { nextTick, ticksBetween } from "./ticks.ts";

/** What is emitted for ticks that passed while nobody looked: nothing, one signal for all of them, or each of the newest `most`. */
export type MissedPolicy =
  | { readonly missed: "skip" }
  | { readonly missed: "once" }
  | { readonly missed: "all"; readonly most: number };

export type EmitterClock = {
  readonly cron: Cron;
  readonly zone: Zone;
  /** The tick that is next to be emitted, without jitter. */
  readonly nextAt: Date;
  readonly now: Date;
  /** By how much each tick is late on purpose. */
  readonly jitterMs: number;
  /** A tick that is later than this was missed: `graceOf`. */
  readonly graceMs: number;
};

export type DueTicks = {
  /** In their order, without jitter. */
  readonly emit: Date[];
  readonly skipped: number;
  /** The next one that is not due yet; undefined if there is none. */
  readonly nextAt: Date | undefined;
};

/** Which ticks are emitted now. One that is on time always is; the policy decides about those that were missed. */
export function missedTicks(policy: MissedPolicy, clock: EmitterClock): DueTicks {
  const { cron, zone, nextAt, jitterMs, graceMs } = clock;
  const to = new Date(clock.now.getTime() - jitterMs);
  if (to < nextAt) return { emit: [], skipped: 0, nextAt };
  const most = policy.missed === "all" ? Math.max(1, policy.most) : 1;
  const { ticks, more } = ticksBetween(cron, zone, { from: nextAt, to }, most);
  const isOnTime = (tick: Date): boolean => to.getTime() - tick.getTime() <= graceMs;
  const emit = policy.missed === "skip" ? ticks.filter(isOnTime) : ticks;
  const skipped = more + ticks.length - emit.length;
  return { emit, skipped, nextAt: nextTick(cron, zone, to) };
}

/** How late a tick may be: a minute, or just less than the time to the next one. */
export function graceOf(shortestGapMs: number): number {
  return Math.min(60_000, shortestGapMs - 1);
}
