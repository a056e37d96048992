import type { Cron } from "../../shared/cron/cron.ts";
import { countMinutes, firstMinuteFrom, lastMinuteBefore } from "./local-minutes.ts";
import type { Zone } from "./parse-zone.ts";
import { type Stretch, stretchAt } from "./stretches.ts";

const minuteMs = 60_000;
const twoDaysMs = 2 * 86_400_000;

/** Instants that are not in these years have no tick after or before them. */
const leastAt = Date.UTC(1900, 0, 1);
const mostAt = Date.UTC(9900, 0, 1);

/** Two days of the densest expression whose ticks are not all a minute apart, or years of one that fires daily. */
const gapsLookedAt = 1500;
/** Two leap days may be eight years apart; what is rarer still would cost a broker half a second to walk. */
const nineYearsMs = 9 * 366 * 86_400_000;

/** The first tick after an instant. An expression has one, as long as years have four digits. */
export function nextTick(cron: Cron, zone: Zone, after: Date): Date | undefined {
  return dateOf(tickAfter(cron, zone, after.getTime()));
}

/** The first `count` ticks after an instant. */
export function nextTicks(cron: Cron, zone: Zone, after: Date, count: number): Date[] {
  const ticks: Date[] = [];
  for (let at: Date | undefined = after; ticks.length < count;) {
    at = nextTick(cron, zone, at);
    if (at === undefined) break;
    ticks.push(at);
  }
  return ticks;
}

/** The last tick before an instant. */
export function previousTick(cron: Cron, zone: Zone, before: Date): Date | undefined {
  return dateOf(tickBefore(cron, zone, before.getTime()));
}

export type Span = {
  readonly from: Date;
  /** Belongs to it, as `from` does. */
  readonly to: Date;
};

/** The newest `most` ticks of a span, in their order, and how many more it has. What it costs grows with `most` and with months alone. */
export function ticksBetween(
  cron: Cron,
  zone: Zone,
  span: Span,
  most: number,
): { readonly ticks: Date[]; readonly more: number } {
  const from = Math.max(span.from.getTime(), leastAt);
  const to = Math.min(span.to.getTime(), mostAt);
  const count = countTicks(cron, zone, from, to);
  const ticks: Date[] = [];
  let below: number | undefined = to + 1;
  while (ticks.length < Math.min(most, count)) {
    below = tickBefore(cron, zone, below);
    if (below === undefined) break;
    ticks.push(new Date(below));
  }
  return { ticks: ticks.toReversed(), more: count - ticks.length };
}

/** The shortest time between two ticks, in milliseconds, among the 1500 times after the next tick; undefined without two ticks. */
export function shortestGap(cron: Cron, zone: Zone, from: Date): number | undefined {
  let shortest: number | undefined;
  let last = tickAfter(cron, zone, from.getTime());
  for (let gaps = 0; gaps < gapsLookedAt && last !== undefined; gaps++) {
    const next = tickAfter(cron, zone, last);
    if (next === undefined) break;
    shortest = Math.min(shortest ?? Infinity, next - last);
    if (shortest <= minuteMs || next - from.getTime() > nineYearsMs) break;
    last = next;
  }
  return shortest;
}

/** Walks stretches from `after` on; where the next match is far, it goes there at once. */
function tickAfter(cron: Cron, zone: Zone, after: number): number | undefined {
  if (!(after >= leastAt && after < mostAt)) return undefined;
  let stretch = stretchAt(zone, after + 1);
  for (let isWhole = false; ; isWhole = true) {
    if (after < stretch.startAt && hasEdge(cron, stretch)) return stretch.startAt;
    const from = Math.max(firstOf(cron, stretch), minuteFrom(after + 1 + stretch.offset));
    const minute = firstMinuteFrom(cron, from);
    if (minute === undefined) return undefined;
    const at = minute * minuteMs - stretch.offset;
    if (at < stretch.endAt) return at;
    // A minute that a later change repeats comes after those of this stretch, so it matches no sooner.
    const isFar = isWhole && isLong(stretch);
    stretch = stretchAt(zone, Math.max(stretch.endAt, isFar ? at - twoDaysMs : 0));
    after = stretch.startAt - 1;
  }
}

function tickBefore(cron: Cron, zone: Zone, before: number): number | undefined {
  if (!(before > leastAt && before <= mostAt)) return undefined;
  let stretch = stretchAt(zone, before - 1);
  for (let isWhole = false; ; isWhole = true) {
    const below = minuteFrom(Math.min(before, stretch.endAt) + stretch.offset);
    const minute = lastMinuteBefore(cron, below);
    if (minute === undefined) return undefined;
    if (minute >= firstOf(cron, stretch)) return minute * minuteMs - stretch.offset;
    if (hasEdge(cron, stretch)) return stretch.startAt;
    const far = minute * minuteMs - stretch.offset + twoDaysMs;
    const isFar = isWhole && isLong(stretch);
    const at = Math.min(stretch.startAt - 1, isFar ? far : Infinity);
    if (at < leastAt) return undefined;
    stretch = stretchAt(zone, at);
    before = stretch.endAt;
  }
}

function countTicks(cron: Cron, zone: Zone, from: number, to: number): number {
  let count = 0;
  for (let at = from; at <= to;) {
    const stretch = stretchAt(zone, at);
    const { startAt, endAt, offset } = stretch;
    const first = firstOf(cron, stretch);
    const isEdge = startAt >= from && hasEdge(cron, stretch) && !isMatch(cron, startAt + offset);
    const start = Math.max(first, minuteFrom(from + offset));
    const below = minuteFrom(Math.min(to + 1, endAt) + offset);
    count += countMinutes(cron, start, below) + (isEdge ? 1 : 0);
    at = endAt;
  }
  return count;
}

/** The first minute of a stretch that counts. To times of day those that the clocks show for the second time do not. */
function firstOf(cron: Cron, { startAt, offset, before }: Stretch): number {
  return minuteFrom(startAt + (cron.isInterval ? offset : Math.max(offset, before)));
}

/** Whether a stretch begins with a tick for the times of day that were left out when the clocks were put forward. */
function hasEdge(cron: Cron, { startAt, offset, before }: Stretch): boolean {
  if (cron.isInterval || offset <= before) return false;
  const minute = firstMinuteFrom(cron, minuteFrom(startAt + before));
  return minute !== undefined && minute * minuteMs < startAt + offset;
}

function isMatch(cron: Cron, local: number): boolean {
  return firstMinuteFrom(cron, minuteFrom(local)) === local / minuteMs;
}

/** The first minute that begins at a local time or after it. */
function minuteFrom(local: number): number {
  return Math.ceil(local / minuteMs);
}

/** Longer than clocks are ever put back, and than any zone is from UTC. */
function isLong({ startAt, endAt }: Stretch): boolean {
  return endAt - startAt > twoDaysMs;
}

function dateOf(at: number | undefined): Date | undefined {
  return at === undefined ? undefined : new Date(at);
}
