import type { Cron } from "../../shared/cron/cron.ts";

const minutesOfDay = 1440;

/** 29 February falls on one day of the week again after 40 years at most, when a century in between has no leap year. */
const mostMonths = 12 * 41;

/** The first matching minute that is not before `from`. Minutes are counted from 1970 by the clock on the wall, as if it were UTC's. */
export function firstMinuteFrom(cron: Cron, from: number): number | undefined {
  const day = Math.floor(from / minutesOfDay);
  const at = firstTimeFrom(cron, from - day * minutesOfDay);
  if (at < cron.times.length && hasDay(cron, day)) return minuteOf(cron, day, at);
  const next = firstDayFrom(cron, day + 1);
  return next === undefined ? undefined : minuteOf(cron, next, 0);
}

/** The last matching minute before `below`. */
export function lastMinuteBefore(cron: Cron, below: number): number | undefined {
  const day = Math.floor(below / minutesOfDay);
  const at = firstTimeFrom(cron, below - day * minutesOfDay) - 1;
  if (at >= 0 && hasDay(cron, day)) return minuteOf(cron, day, at);
  const previous = lastDayBefore(cron, day);
  return previous === undefined ? undefined : minuteOf(cron, previous, cron.times.length - 1);
}

/** How many minutes match from `from` on, before `below`. */
export function countMinutes(cron: Cron, from: number, below: number): number {
  return from >= below ? 0 : countBefore(cron, below, from) - countBefore(cron, from, from);
}

/** The days of a month that match: bit d − 1 is day d. */
export function matchingDays(cron: Cron, year: number, month: number): number {
  if ((cron.months & (1 << month)) === 0) return 0;
  const ofMonth = 2 ** lengthOfMonth(year, month) - 1;
  const weekday = new Date(dayNumber(year, month) * dayMs).getUTCDay();
  const week = ((cron.daysOfWeek >>> weekday) | (cron.daysOfWeek << (7 - weekday))) & 0x7f;
  const ofWeek = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  const either = cron.isEitherDay ? cron.daysOfMonth | ofWeek : cron.daysOfMonth & ofWeek;
  return either & ofMonth;
}

const dayMs = 86_400_000;

function minuteOf(cron: Cron, day: number, at: number): number {
  return day * minutesOfDay + (cron.times[at] ?? 0);
}

/** The place of the first time of the day that is not before `time`; the number of times when there is none. */
function firstTimeFrom({ times }: Cron, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hasDay(cron: Cron, day: number): boolean {
  const { year, month, ofMonth } = dateOf(day);
  return (matchingDays(cron, year, month) & (1 << (ofMonth - 1))) !== 0;
}

function firstDayFrom(cron: Cron, day: number): number | undefined {
  const { year, month, ofMonth } = dateOf(day);
  let days = matchingDays(cron, year, month) & (-1 << (ofMonth - 1));
  for (let on = 0; on < mostMonths; on++) {
    // The lowest bit that is set.
    if (days !== 0) return dayNumber(year, month + on) + 31 - Math.clz32(days & -days);
    days = daysOf(cron, year, month + on + 1);
  }
  return undefined;
}

function lastDayBefore(cron: Cron, day: number): number | undefined {
  const { year, month, ofMonth } = dateOf(day);
  let days = matchingDays(cron, year, month) & ~(-1 << (ofMonth - 1));
  for (let back = 0; back < mostMonths; back++) {
    if (days !== 0) return dayNumber(year, month - back) + 31 - Math.clz32(days);
    days = daysOf(cron, year, month - back - 1);
  }
  return undefined;
}

/** Counts from the first of the month of `origin` on: no minute before is of interest. */
function countBefore(cron: Cron, minute: number, origin: number): number {
  const day = Math.floor(minute / minutesOfDay);
  const start = dateOf(Math.floor(origin / minutesOfDay));
  const { year, month, ofMonth } = dateOf(day);
  const months = (year - start.year) * 12 + month - start.month;
  let days = bitCount(matchingDays(cron, year, month) & ~(-1 << (ofMonth - 1)));
  for (let on = 0; on < months; on++) days += bitCount(daysOf(cron, start.year, start.month + on));
  const ofToday = hasDay(cron, day) ? firstTimeFrom(cron, minute - day * minutesOfDay) : 0;
  return days * cron.times.length + ofToday;
}

/** `month` may be outside of the year, as Date takes it. */
function daysOf(cron: Cron, year: number, month: number): number {
  const years = Math.floor(month / 12);
  return matchingDays(cron, year + years, month - years * 12);
}

function dateOf(day: number): { year: number; month: number; ofMonth: number } {
  const date = new Date(day * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), ofMonth: date.getUTCDate() };
}

function dayNumber(year: number, month: number): number {
  return Date.UTC(year, month, 1) / dayMs;
}

function lengthOfMonth(year: number, month: number): number {
  return dayNumber(year, month + 1) - dayNumber(year, month);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
