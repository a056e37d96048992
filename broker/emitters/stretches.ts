import { LRUCache } from "lru-cache";
import type { Zone } from "./parse-zone.ts";

/** A time in which a zone's clocks are neither put forward nor back; it begins with a change, or with a year. */
export type Stretch = {
  readonly startAt: number;
  /** Where the next one begins. */
  readonly endAt: number;
  /** What to add to an instant for the clock on the wall, in milliseconds. */
  readonly offset: number;
  /** The offset until `startAt`: greater if clocks were put back then. */
  readonly before: number;
};

/** Recife's clocks were put forward on 8 October 2000 and back a week later: less than seven days. */
const betweenLooksMs = 5 * 86_400_000;

/** Zones and years that are known without asking Intl: 100 zones for 20 years. */
const years = new LRUCache<string, readonly Stretch[]>({ max: 2000 });

/** Each takes some 40 KB. */
const formats = new LRUCache<Zone, Intl.DateTimeFormat>({ max: 50 });

/** The stretch of a zone that an instant lies in. */
export function stretchAt(zone: Zone, at: number): Stretch {
  const all = stretchesOf(zone, new Date(at).getUTCFullYear());
  const found = all.findLast(({ startAt }) => startAt <= at);
  if (found === undefined) throw new RangeError(`No stretch of ${zone} has the instant ${at}.`);
  return found;
}

/** The stretches of a year, by what `offsetOf` says of some of its instants. Two changes within five days count as one, at the later. */
export function findStretches(year: number, offsetOf: (at: number) => number): Stretch[] {
  const endOfYear = Date.UTC(year + 1, 0, 1);
  const found: Stretch[] = [];
  let startAt = Date.UTC(year, 0, 1);
  let before = offsetOf(startAt - 1000);
  let offset = offsetOf(startAt);
  for (let at = startAt; at < endOfYear;) {
    const next = Math.min(at + betweenLooksMs, endOfYear - 1000);
    const changed = offsetOf(next);
    if (changed !== offset) {
      const endAt = findChange(at, next, (between) => offsetOf(between) === changed);
      found.push({ startAt, endAt, offset, before });
      [startAt, before, offset] = [endAt, offset, changed];
    }
    at = next === endOfYear - 1000 ? endOfYear : next;
  }
  return [...found, { startAt, endAt: endOfYear, offset, before }];
}

/** The first second of `after` on which is as `until` is. */
function findChange(after: number, until: number, isAfter: (at: number) => boolean): number {
  let [low, high] = [after, until];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (isAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function stretchesOf(zone: Zone, year: number): readonly Stretch[] {
  const key = `${zone} ${year}`;
  const known = years.get(key);
  if (known !== undefined) return known;
  const found = findStretches(year, (at) => readOffset(zone, at));
  years.set(key, found);
  return found;
}

/** Intl writes "1/31/2026, GMT+01:00", with seconds where a zone has them, and "GMT" alone for none. */
function readOffset(zone: Zone, at: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, format);
  }
  const [, sign, hours, minutes, seconds] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(at)) ?? [];
  if (sign === undefined) return 0;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  return (sign === "+" ? size : -size) * 1000;
}
