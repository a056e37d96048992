import type { AvailabilityState } from "../../shared/api/runner-availability.ts";
import type { TimeRange } from "../../shared/stats-steps.ts";
import type { RunnerHistory } from "./list-runner-histories.ts";
import { stretchesOf } from "./stretches.ts";

/** A span of time in which a runner was in one state. */
export type Period = TimeRange & {
  readonly state: AvailabilityState;
  readonly paused: boolean;
  readonly draining: boolean;
};

/** How a runner was, exactly: periods without gaps from one end of the range to the other. */
export function periodsOf(
  history: RunnerHistory,
  { range, gaps }: { readonly range: TimeRange; readonly gaps: readonly TimeRange[] },
): Period[] {
  const periods = Array.from(
    stretchesOf(spansOf(history, range.toMs, gaps), range),
    ({ fromMs, toMs, has }): Period => {
      const state = stateWhere(has);
      const isKnown = state !== "no-data";
      return {
        fromMs,
        toMs,
        state,
        paused: isKnown && has("paused"),
        draining: isKnown && has("draining"),
      };
    },
  );
  return joined(periods);
}

type Kind = "unseen" | "active" | "known" | "disabled" | "silent" | "ended" | "paused" | "draining";
type Spans = Readonly<Record<Kind, readonly TimeRange[]>>;

function stateWhere(has: (kind: Kind) => boolean): AvailabilityState {
  if (has("unseen") || !has("known")) return "no-data";
  if (has("disabled")) return "shut-down";
  if (has("active")) return has("silent") ? "degraded" : "active";
  return has("ended") || has("draining") ? "shut-down" : "offline";
}

/** The same quantized: each bucket has the worst state in it, and what is alike is joined. */
export function stripOf(periods: readonly Period[], range: TimeRange, bucketMs: number): Period[] {
  let at = 0;
  const buckets = Array.from(
    { length: Math.ceil((range.toMs - range.fromMs) / bucketMs) },
    (_, n): Period => {
      const fromMs = range.fromMs + n * bucketMs;
      const toMs = Math.min(fromMs + bucketMs, range.toMs);
      while (at < periods.length && (periods[at]?.toMs ?? 0) <= fromMs) at += 1;
      let end = at;
      while (end < periods.length && (periods[end]?.fromMs ?? 0) < toMs) end += 1;
      const inside = periods.slice(at, end);
      const state = worstFirst.find((one) => inside.some((period) => period.state === one));
      return {
        fromMs,
        toMs,
        state: state ?? "no-data",
        paused: inside.some(({ paused }) => paused),
        draining: inside.some(({ draining }) => draining),
      };
    },
  );
  return joined(buckets);
}

const worstFirst: readonly AvailabilityState[] = [
  "offline",
  "degraded",
  "shut-down",
  "active",
  "no-data",
];

export type TimeInStateMs = Readonly<Record<AvailabilityState, number>>;

/** How long it was in which state. */
export function timeInStates(periods: readonly Period[]): TimeInStateMs {
  const sum = (state: AvailabilityState): number =>
    periods.reduce((ms, one) => (one.state === state ? ms + one.toMs - one.fromMs : ms), 0);
  return {
    active: sum("active"),
    degraded: sum("degraded"),
    offline: sum("offline"),
    "shut-down": sum("shut-down"),
    "no-data": sum("no-data"),
  };
}

/** The share of the time in which it was to serve and did; null where there was no such time. */
export function availabilityOf({ active, degraded, offline }: TimeInStateMs): number | null {
  const expectedMs = active + degraded + offline;
  if (expectedMs === 0) return null;
  return Math.round(((active + degraded) / expectedMs) * 1e6) / 1e6;
}

/** The stretches of a range in which no broker ran, from the spans in which one did. */
export function gapsOf(
  covered: readonly number[],
  { fromMs, toMs, widthS }: TimeRange & { readonly widthS: number },
): TimeRange[] {
  const gaps: TimeRange[] = [];
  let seenToMs = fromMs;
  for (const atMs of covered.map((at) => at * 1000)) {
    if (atMs > seenToMs) gaps.push({ fromMs: seenToMs, toMs: atMs });
    seenToMs = Math.max(seenToMs, atMs + widthS * 1000);
  }
  // The span that has just begun may not have been sampled yet.
  if (toMs - seenToMs > lateMs) gaps.push({ fromMs: seenToMs, toMs });
  return gaps;
}

const lateMs = 30_000;

function spansOf(history: RunnerHistory, toMs: number, gaps: readonly TimeRange[]): Spans {
  const moves = history.statuses.length > 0 ? history.statuses : [presentOf(history)];
  const statuses = intervals(moves, toMs);
  const processes = history.processes.map((one) => intervals(one.statuses, toMs));
  const inStatus = (...wanted: readonly string[]) =>
    statuses.filter(({ status }) => wanted.includes(status));
  return {
    unseen: gaps,
    known: statuses.filter(({ status }) => status !== "awaiting-heartbeat"),
    active: inStatus("active"),
    disabled: inStatus("disabled", "deprovisioned"),
    silent: processes.flat().filter(({ status }) => status === "offline"),
    ended: endedSpans(statuses, processes.flat()),
    paused: pausedSpans(history, toMs),
    draining: history.shutdowns.map(({ from, to }) => ({ fromMs: from, toMs: to ?? toMs })),
  };
}

type Interval = TimeRange & { readonly status: string };

/** After a runner's last process had said that it shuts down, the runner is not lost. */
function endedSpans(statuses: readonly Interval[], processes: readonly Interval[]): TimeRange[] {
  const ends = processes.filter(({ status }) => status === "shut-down");
  const losses = processes.filter(({ status }) => status === "offline");
  return statuses
    .filter(({ status }) => status === "offline")
    .flatMap(({ fromMs, toMs }) => {
      const begins = (one: Interval): boolean =>
        one.fromMs >= fromMs - sameMomentMs && one.fromMs < toMs;
      const end = ends.filter(begins).at(-1);
      if (end === undefined || losses.some(begins)) return [];
      return [{ fromMs: Math.max(fromMs, end.fromMs), toMs }];
    });
}

/** The end of a process and the status of its runner are written one after the other. */
const sameMomentMs = 1000;

function pausedSpans({ statuses, group_paused_at: ofGroup }: RunnerHistory, toMs: number) {
  const entries = statuses.filter(({ paused }) => paused !== null);
  const own = entries.flatMap(({ at, paused, until }, n) =>
    paused === true
      ? [{ fromMs: at, toMs: Math.min(until ?? toMs, entries[n + 1]?.at ?? toMs) }]
      : [],
  );
  return ofGroup === null ? own : [...own, { fromMs: ofGroup, toMs }];
}

/** A runner whose history was deleted with age is as it is since it became so. */
const presentOf = ({ status, status_at: at }: RunnerHistory) => ({ at, status });

function intervals(
  moves: readonly { readonly at: number; readonly status: string }[],
  toMs: number,
): Interval[] {
  return moves.map(({ at, status }, n) => ({
    fromMs: at,
    toMs: moves[n + 1]?.at ?? Math.max(at, toMs),
    status,
  }));
}

function joined(periods: readonly Period[]): Period[] {
  const all: Period[] = [];
  for (const period of periods) {
    const last = all.at(-1);
    const isSame =
      last?.state === period.state &&
      last.paused === period.paused &&
      last.draining === period.draining;
    if (isSame) all[all.length - 1] = { ...last, toMs: period.toMs };
    else all.push(period);
  }
  return all;
}
