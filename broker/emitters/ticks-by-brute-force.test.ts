import fc from "fast-check";
import { expect, test } from "vitest";
import type { Cron } from "../../shared/cron/cron.ts";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { walks } from "../../test/support/model/walks.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";
import { nextTick, previousTick, ticksBetween } from "./ticks.ts";

const minuteMs = 60_000;

/** Instants near which the clocks of a zone change, and some where they do not. */
const moments = [
  ["Europe/Berlin", "2026-03-29T01:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00Z"],
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ["Africa/Casablanca", "2026-02-15T02:00Z"],
  ["America/St_Johns", "2026-11-01T04:30Z"],
  ["Africa/Cairo", "2026-04-23T22:00Z"],
  ["America/Santiago", "2026-04-05T03:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00Z"],
  ["Asia/Pyongyang", "2018-05-04T15:00Z"],
  ["Europe/Volgograd", "2020-12-26T23:00Z"],
  ["Asia/Kathmandu", "2026-12-31T18:15Z"],
  ["UTC", "2028-02-28T23:00Z"],
] as const;

const number = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);
const field = (least: number, most: number) => {
  const item = fc.oneof(
    { weight: 3, arbitrary: number(least, most) },
    fc.tuple(number(least, most), number(least, most)).map((ends) => ends.join("-")),
    fc
      .tuple(fc.constantFrom("*", `${least}-${most}`), number(1, 7))
      .map((parts) => parts.join("/")),
  );
  const items = fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(","));
  return fc.oneof({ weight: 2, arbitrary: fc.constant("*") }, { weight: 3, arbitrary: items });
};
const anyDay = fc.constant("*");
const expression = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), field(0, 4)),
    fc.oneof(anyDay, field(1, 31)),
    anyDay,
    fc.oneof(anyDay, field(0, 7)),
  )
  .map((fields) => fields.join(" "));

/** What the clock on the wall shows in each minute, by the parts that Intl writes: nothing of ours. */
function walk(zone: string, from: number, to: number): { at: number; local: number }[] {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const minutes: { at: number; local: number }[] = [];
  for (let at = from; at <= to; at += minuteMs) {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    minutes.push({ at, local: Date.UTC(year, month - 1, day, hour, minute) });
  }
  return minutes;
}

function isMatch(cron: Cron, local: number): boolean {
  const date = new Date(local);
  const isOfMonth = ((cron.daysOfMonth >> (date.getUTCDate() - 1)) & 1) === 1;
  const isOfWeek = ((cron.daysOfWeek >> date.getUTCDay()) & 1) === 1;
  return (
    cron.minutes.includes(date.getUTCMinutes()) &&
    cron.hours.includes(date.getUTCHours()) &&
    ((cron.months >> date.getUTCMonth()) & 1) === 1 &&
    (cron.isEitherDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek)
  );
}

/** The rule of 0024, said a second time: minute by minute after the first. */
function ticksOf(cron: Cron, minutes: readonly { at: number; local: number }[]): number[] {
  const ticks: number[] = [];
  let latest = minutes[0]?.local ?? 0;
  for (const { at, local } of minutes.slice(1)) {
    if (cron.isInterval) {
      if (isMatch(cron, local)) ticks.push(at);
      continue;
    }
    let isTick = false;
    for (let shown = latest + minuteMs; shown <= local; shown += minuteMs)
      isTick ||= isMatch(cron, shown);
    if (isTick) ticks.push(at);
    latest = Math.max(latest, local);
  }
  return ticks;
}

test("the ticks near a change of clocks are those of a walk through all minutes, in both directions", () => {
  const days = 2 * 86_400_000;
  const zones = moments.map(([name, at]) => {
    const zone = parseZone(name);
    if (isZoneFault(zone)) throw new Error(zone.message);
    return { zone, minutes: walk(name, Date.parse(at) - days, Date.parse(at) + days) };
  });
  let compared = 0;
  fc.assert(
    fc.property(expression, fc.nat(zones.length - 1), (text, which) => {
      const { zone, minutes = [] } = zones[which] ?? {};
      if (zone === undefined) throw new Error("There is no such walk.");
      const cron = parseCron(text);
      if (isCronFault(cron)) return cron.fault === "never";
      const expected = ticksOf(cron, minutes);
      const [from = 0, to = 0] = [minutes[0]?.at, minutes.at(-1)?.at];
      const forward: number[] = [];
      for (let at: number | undefined = from; ; forward.push(at)) {
        at = nextTick(cron, zone, new Date(at))?.getTime();
        if (at === undefined || at > to) break;
      }
      expect(forward).toEqual(expected);
      const back: number[] = [];
      for (let at: number | undefined = to + 1; ; back.unshift(at)) {
        at = previousTick(cron, zone, new Date(at))?.getTime();
        if (at === undefined || at <= from) break;
      }
      expect(back).toEqual(expected);
      const span = { from: new Date(from + 1), to: new Date(to) };
      const { ticks, more } = ticksBetween(cron, zone, span, 3);
      expect(ticks.map((tick) => tick.getTime())).toEqual(expected.slice(-3));
      expect(more + ticks.length).toBe(expected.length);
      compared += expected.length;
      return true;
    }),
    walks(30),
  );
  expect(compared).toBeGreaterThan(1000);
});

test("between a tick and the next one no minute matches, however far it is", () => {
  const zone = parseZone("UTC");
  if (isZoneFault(zone)) throw new Error(zone.message);
  const months = fc.oneof(fc.constant("*"), field(1, 12));
  const day = fc
    .tuple(number(0, 23), field(1, 31), months, field(0, 7))
    .map(([hour, ofMonth, month, ofWeek]) => `7 ${hour} ${ofMonth} ${month} ${ofWeek}`);
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 80 * 365 }), (text, startDay) => {
      const cron = parseCron(text);
      if (isCronFault(cron)) return cron.fault === "never";
      const from = startDay * 86_400_000;
      const next = nextTick(cron, zone, new Date(from))?.getTime() ?? 0;
      const hour = (cron.times[0] ?? 0) * minuteMs;
      let expected = from + hour;
      while (!isMatch(cron, expected) || expected <= from) expected += 86_400_000;
      expect(next).toBe(expected);
      const previous = previousTick(cron, zone, new Date(next + 1))?.getTime();
      expect(previous).toBe(next);
      return true;
    }),
    walks(50),
  );
});
