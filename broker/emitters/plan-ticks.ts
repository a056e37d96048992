import { type MissedPolicy, missedTicks } from "./missed-ticks.ts";
import { jitterMs } from "./read-schedule.ts";
import type { EmitterRow } from "./row.ts";
import { scheduleOf } from "./schedule-of.ts";
import { nextTick } from "./ticks.ts";

/** What is to be emitted now, and what comes next; null: nothing. */
export type TickPlan = {
  readonly ticks: readonly Date[];
  readonly skipped: number;
  readonly nextTickAt: Date | null;
  readonly nextEmitAt: Date | null;
};

/** What becomes of an emitter that is due at `now`. One without a next tick, after a pause, only gets one. */
export function planTicks(row: EmitterRow, now: Date): TickPlan {
  if (row.mode !== "cron") return planOnce(row);
  const { cron, zone } = scheduleOf(row);
  const jitter = jitterMs(row.id, row.jitter_window);
  const planned = (next: Date | undefined, ticks: readonly Date[] = [], skipped = 0): TickPlan => ({
    ticks,
    skipped,
    nextTickAt: next ?? null,
    nextEmitAt: next === undefined ? null : new Date(next.getTime() + jitter),
  });
  if (row.next_tick_at === null) return planned(nextTick(cron, zone, before(resumedAt(row))));
  const clock = { cron, zone, nextAt: row.next_tick_at, now, jitterMs: jitter };
  const due = missedTicks(policyOf(row), { ...clock, graceMs: row.grace / 1e6 });
  return planned(due.nextAt, due.emit, due.skipped);
}

function planOnce(row: EmitterRow): TickPlan {
  const { scheduled_at: at, next_tick_at: due } = row;
  if (due !== null) return { ticks: [due], skipped: 0, nextTickAt: null, nextEmitAt: null };
  const next = at !== null && at >= resumedAt(row) ? at : null;
  return { ticks: [], skipped: 0, nextTickAt: next, nextEmitAt: next };
}

/** Its pause ended then. */
function resumedAt({ paused_until, status_at }: EmitterRow): Date {
  return paused_until ?? status_at;
}

/** So that a tick at that very instant is one after it. */
function before(at: Date): Date {
  return new Date(at.getTime() - 1);
}

function policyOf({ missed_policy: missed, missed_limit: most }: EmitterRow): MissedPolicy {
  return missed === "all" ? { missed, most } : { missed };
}
