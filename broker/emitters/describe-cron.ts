import type { Cron } from "../../shared/cron/cron.ts";
import type { Zone } from "./parse-zone.ts";

/** A sentence without a full stop: "at 02:30 on Monday to Friday, Europe/Berlin". The same one means the same times of the same days. */
export function describeCron(cron: Cron, zone: Zone): string {
  const times = describeTimes(cron);
  const days = describeDays(cron, times.startsWith("at ") && cron.hours.length < 24);
  const isAnywhere = zone === "UTC" && cron.hours.length === 24 && days === "";
  return `${times}${days === "" ? "" : ` ${days}`}${isAnywhere ? "" : `, ${zone}`}`;
}

function describeTimes({ minutes, hours, times }: Cron): string {
  const [minute = 0] = minutes;
  const [hour = 0] = hours;
  const every = everyMinutes(minutes);
  if (hours.length === 24) {
    if (every !== undefined) return every;
    return minutes.length === 1 && minute === 0
      ? "every hour"
      : `${atMinutes(minutes)} of every hour`;
  }
  const hourStep = stepOf(hours);
  if (minutes.length === 1 && hourStep !== undefined && isAround(hours, hourStep, 24))
    return `every ${hourStep} hours from ${clock(times[0])}`;
  if (times.length <= 4) return `at ${join(times.map(clock))}`;
  const isInRow = hours.length === 1 || hourStep === 1;
  const span = `from ${clock(times[0])} to ${clock(times.at(-1))}`;
  if (isInRow && every !== undefined) return `${every} ${span}`;
  if (isInRow && minutes.length === 1) return `every hour ${span}`;
  const inHours = hours.length === 1 ? `hour ${hour}` : `hours ${list(hours)}`;
  return every === undefined ? `${atMinutes(minutes)} of ${inHours}` : `${every} in ${inHours}`;
}

/** For minutes that divide the hour evenly, beginning with its first. */
function everyMinutes(minutes: readonly number[]): string | undefined {
  const step = stepOf(minutes);
  if (step === undefined || minutes[0] !== 0 || !isAround(minutes, step, 60)) return undefined;
  return step === 1 ? "every minute" : `every ${step} minutes`;
}

function atMinutes(minutes: readonly number[]): string {
  return minutes.length === 1 ? `at minute ${minutes[0]}` : `at minutes ${list(minutes)}`;
}

function describeDays(cron: Cron, isAtTimes: boolean): string {
  const months = valuesOf(cron.months, 1);
  const daysOfMonth = valuesOf(cron.daysOfMonth, 1);
  const daysOfWeek = valuesOf(cron.daysOfWeek, 0);
  const isAllMonths = months.length === 12;
  const inMonths = isAllMonths ? "" : ` in ${list(months, monthNames)}`;
  const ofMonths = isAllMonths ? "of the month" : `of ${list(months, monthNames)}`;
  const days = `on ${daysOfMonth.length === 1 ? "day" : "days"} ${list(daysOfMonth)} ${ofMonths}`;
  // Sunday is the last of a weekend, not the first of a week.
  const week = daysOfWeek.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  const ofWeek = list(week, weekdays);
  const isAnyDay = daysOfMonth.length === 31;
  const isAnyWeekday = daysOfWeek.length === 7;
  if (cron.isEitherDay ? isAnyDay || isAnyWeekday : isAnyDay && isAnyWeekday)
    return isAtTimes ? `every day${inMonths}` : inMonths.trim();
  if (isAnyDay || daysOfMonth.length === 0) return `on ${ofWeek}${inMonths}`;
  if (isAnyWeekday) return days;
  return cron.isEitherDay ? `${days} or on ${ofWeek}${inMonths}` : `${days} if that is ${ofWeek}`;
}

const monthNames = (
  ", January, February, March, April, May, June, July, " +
  "August, September, October, November, December"
).split(", ");
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function valuesOf(bits: number, least: number): number[] {
  const all = Array.from({ length: 31 }, (_, bit) => bit);
  return all.filter((bit) => (bits & (1 << bit)) !== 0).map((bit) => bit + least);
}

/** "1, 3 and 5 to 9"; five and more at the same distance are "1 to 31 in steps of 2". Days of the week come Monday first. */
function list(values: readonly number[], names?: readonly string[]): string {
  const say = (value: number | undefined): string => names?.[value ?? 0] ?? String(value);
  const step = stepOf(values);
  if (step !== undefined && step > 1 && values.length >= 5)
    return `${say(values[0])} to ${say(values.at(-1))} in steps of ${step}`;
  const parts: string[] = [];
  for (let at = 0; at < values.length;) {
    let end = at;
    while (end + 1 < values.length && isNext(values, end, names)) end++;
    // Two in a row are no range.
    if (end === at + 1) end = at;
    parts.push(end === at ? say(values[at]) : `${say(values[at])} to ${say(values[end])}`);
    at = end + 1;
  }
  return join(parts);
}

function isNext(values: readonly number[], at: number, names?: readonly string[]): boolean {
  const next = (values[at] ?? 0) + 1;
  return values[at + 1] === (names === weekdays ? next % 7 : next);
}

function join(parts: readonly string[]): string {
  if (parts.length <= 1) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The distance of values that are all at the same distance; undefined for a single one. */
function stepOf(values: readonly number[]): number | undefined {
  const [first = 0, second] = values;
  if (second === undefined) return undefined;
  const step = second - first;
  return step > 0 && values.every((value, at) => value === first + at * step) ? step : undefined;
}

/** Whether the distance from the last to the first of the next round is the same, too. */
function isAround(values: readonly number[], step: number, size: number): boolean {
  return values.length * step === size;
}

function clock(time = 0): string {
  const [hour, minute] = [Math.floor(time / 60), time % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
