import type { DueRow } from "./find-due.ts";
import { type DueTicks, type MissedPolicy, missedTicks } from "./missed-ticks.ts";
import { jitterMs } from "./read-schedule.ts";
import { scheduleOf } from "./schedule-of.ts";
import { nextTick } from "./ticks.ts";

/** A tick, and when it is to be emitted: with its emitter's jitter. */
export type PlannedTick = { readonly at: Date; readonly emitAt: Date };

/** What is to be emitted now, and what comes next; null: nothing. */
export type TickPlan = {
  readonly ticks: readonly PlannedTick[];
  readonly skipped: number;
  readonly nextTickAt: Date | null;
  readonly nextEmitAt: Date | null;
};

/** What is read of an emitter to say when it emits. */
export type Scheduled = Omit<DueRow, "contents" | "key_id" | "version" | "now">;

/** What becomes of an emitter that is due at `now`. One without a next tick, after a pause, only gets one. */
export function planTicks(row: Scheduled, now: Date): TickPlan {
  if (row.mode !== "cron") return planOnce(row);
  const { cron, zone } = scheduleOf(row);
  const late = jitterMs(row.id, row.jitter_window);
  const { next_tick_at: nextAt, grace } = row;
  if (nextAt === null) return planned({ emit: [], skipped: 0, nextAt: firstTick(row) }, late);
  const clock = { cron, zone, now, jitterMs: late, graceMs: grace / 1e6 };
  const policy = policyOf(row);
  if (!isFormer(row)) return planned(missedTicks(policy, { ...clock, nextAt }), late);
  const first = firstTick(row);
  const due = first && missedTicks(policy, { ...clock, nextAt: first });
  return withFormer(row, due ?? { emit: [], skipped: 0, nextAt: undefined }, now);
}

/** Whether the next tick is one of the schedule before, which was past when the schedule was changed. */
export function isFormer({ next_tick_at, schedule_at }: Scheduled): boolean {
  return next_tick_at !== null && schedule_at !== null && next_tick_at <= schedule_at;
}

/** The first tick after the schedule was set which is to be emitted after the pause, or in the instant of its end. */
export function firstTick(row: Scheduled): Date | undefined {
  const { cron, zone } = scheduleOf(row);
  const resumed = row.next_tick_at === null ? resumedAt(row).getTime() : -Infinity;
  const from = resumed - jitterMs(row.id, row.jitter_window) - 1;
  return nextTick(cron, zone, new Date(Math.max(from, row.schedule_at?.getTime() ?? from)));
}

function planned(due: DueTicks, late: number): TickPlan {
  const emitAt = (at: Date): Date => new Date(at.getTime() + late);
  return {
    ticks: due.emit.map((at) => ({ at, emitAt: emitAt(at) })),
    skipped: due.skipped,
    nextTickAt: due.nextAt ?? null,
    nextEmitAt: due.nextAt === undefined ? null : emitAt(due.nextAt),
  };
}

/** The tick of the schedule before comes first. By the policy it is the oldest of those that are due. */
function withFormer(row: Scheduled, due: DueTicks, now: Date): TickPlan {
  const { next_tick_at: at, next_emit_at: emitAt, missed_limit: most, missed_policy } = row;
  const plan = planned(due, jitterMs(row.id, row.jitter_window));
  if (at === null || emitAt === null) return plan;
  const isEmitted = {
    skip: now.getTime() - emitAt.getTime() <= row.grace / 1e6,
    once: due.emit.length === 0,
    all: due.emit.length < most,
  }[missed_policy];
  return isEmitted
    ? { ...plan, ticks: [{ at, emitAt }, ...plan.ticks] }
    : { ...plan, skipped: plan.skipped + 1 };
}

function planOnce(row: Scheduled): TickPlan {
  const { scheduled_at: at, next_tick_at: due, next_emit_at: emitAt } = row;
  if (due !== null) {
    const ticks = [{ at: due, emitAt: emitAt ?? due }];
    return { ticks, skipped: 0, nextTickAt: null, nextEmitAt: null };
  }
  const next = at !== null && at >= resumedAt(row) ? at : null;
  return { ticks: [], skipped: 0, nextTickAt: next, nextEmitAt: next };
}

/** Its pause ended then. */
function resumedAt({ paused_until, status_at }: Scheduled): Date {
  return paused_until ?? status_at;
}

function policyOf({ missed_policy: missed, missed_limit: most }: Scheduled): MissedPolicy {
  return missed === "all" ? { missed, most } : { missed };
}
