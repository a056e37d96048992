import { describe, expect, test } from "vitest";
import { isCronFault, parseCron } from "../../shared/cron/parse-cron.ts";
import { isZoneFault, parseZone } from "./parse-zone.ts";
import { nextTick, nextTicks, previousTick, shortestGap, ticksBetween } from "./ticks.ts";

function read(text: string, name?: string) {
  const cron = parseCron(text);
  const zone = parseZone(name);
  if (isCronFault(cron)) throw new Error(cron.message);
  if (isZoneFault(zone)) throw new Error(zone.message);
  return { cron, zone };
}

/** The ticks after an instant, as UTC without seconds: "03-29 01:00". */
function ticksAfter(text: string, name: string, after: string, count: number): string {
  const { cron, zone } = read(text, name);
  const ticks = nextTicks(cron, zone, new Date(after), count);
  return ticks.map((tick) => tick.toISOString().slice(5, 16).replace("T", " ")).join(", ");
}

describe("ticks", () => {
  test.each([
    ["*/15 * * * *", "2026-01-01T10:14:59.999Z", "2026-01-01T10:15:00Z"],
    ["*/15 * * * *", "2026-01-01T10:15:00Z", "2026-01-01T10:30:00Z"],
    ["59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"],
    ["0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"],
    // 29 February on a Sunday: `*/7` begins with `*`, so both days have to match. 2100 has none.
    ["0 0 29 2 */7", "2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z"],
    ["0 0 13 * FRI", "2026-03-09T00:00:00Z", "2026-03-13T00:00:00Z"],
    ["0 0 13 * FRI", "2026-03-13T00:00:00Z", "2026-03-20T00:00:00Z"],
    ["0 0 31 2 MON", "2026-02-20T00:00:00Z", "2026-02-23T00:00:00Z"],
  ])("%s after %s is %s", (text, after, next) => {
    const { cron, zone } = read(text);
    expect(nextTick(cron, zone, new Date(after))).toEqual(new Date(next));
    expect(previousTick(cron, zone, new Date(Date.parse(next) + 1))).toEqual(new Date(next));
  });

  test.each([Number.NaN, Infinity, -Infinity, 8.64e15, Date.UTC(1899, 0, 1)])(
    "there are none near %d",
    (at) => {
      const { cron, zone } = read("* * * * *");
      expect(nextTick(cron, zone, new Date(at))).toBeUndefined();
      expect(previousTick(cron, zone, new Date(at))).toBeUndefined();
    },
  );
});

/** Each night by hand, from what the zone's law says. The columns: expression, after, ticks; all in UTC. */
describe("a night on which the clocks are put forward", () => {
  // Berlin 2026-03-29: at 01:00 UTC, 02:00 becomes 03:00.
  test.each([
    ["30 2 * * *", "2026-03-28T01:30Z", "03-29 01:00, 03-30 00:30"],
    ["0 2 * * *", "2026-03-28T01:30Z", "03-29 01:00, 03-30 00:00"],
    ["0 2,3 * * *", "2026-03-29T00:00Z", "03-29 01:00, 03-30 00:00"],
    ["0,30 1-3 * * *", "2026-03-29T00:00Z", "03-29 00:30, 03-29 01:00, 03-29 01:30, 03-29 23:00"],
    ["0 3 * * *", "2026-03-28T12:00Z", "03-29 01:00, 03-30 01:00"],
    ["30 2 29 3 *", "2026-03-28T12:00Z", "03-29 01:00"],
    ["*/30 * * * *", "2026-03-29T00:00Z", "03-29 00:30, 03-29 01:00, 03-29 01:30"],
    ["0 * * * *", "2026-03-28T23:30Z", "03-29 00:00, 03-29 01:00, 03-29 02:00"],
    ["0 */2 * * *", "2026-03-28T22:30Z", "03-28 23:00, 03-29 02:00, 03-29 04:00"],
    ["*/15 2 * * *", "2026-03-28T12:00Z", "03-30 00:00, 03-30 00:15"],
  ])("Europe/Berlin: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "Europe/Berlin", after, count)).toBe(ticks);
  });

  // New York 2026-03-08: at 07:00 UTC, 02:00 becomes 03:00.
  test.each([
    ["30 2 * * *", "2026-03-07T08:00Z", "03-08 07:00, 03-09 06:30"],
    ["45 1,2,3 * * *", "2026-03-08T06:00Z", "03-08 06:45, 03-08 07:00, 03-08 07:45"],
    ["*/20 * * * *", "2026-03-08T06:30Z", "03-08 06:40, 03-08 07:00, 03-08 07:20"],
  ])("America/New_York: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "America/New_York", after, count)).toBe(ticks);
  });

  // Lord Howe 2026-10-04: at 15:30 UTC the day before, 02:00 becomes 02:30.
  test.each([
    ["15 2 * * *", "2026-10-02T16:00Z", "10-03 15:30, 10-04 15:15"],
    ["30 2 * * *", "2026-10-02T16:00Z", "10-03 15:30, 10-04 15:30"],
    ["0,45 2 * * *", "2026-10-03T00:00Z", "10-03 15:30, 10-03 15:45, 10-04 15:00"],
    ["*/15 * * * *", "2026-10-03T15:14Z", "10-03 15:15, 10-03 15:30, 10-03 15:45"],
  ])("Australia/Lord_Howe: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "Australia/Lord_Howe", after, count)).toBe(ticks);
  });

  // Santiago 2026-09-06: at 04:00 UTC, midnight becomes 01:00; the day is not lost.
  test("America/Santiago: midnight is at 01:00", () => {
    const ticks = ticksAfter("0 0 6 9 *", "America/Santiago", "2026-09-01T00:00Z", 1);
    expect(ticks).toBe("09-06 04:00");
  });

  // Apia 2011-12-30 has no minute: its clocks were put forward by a day at 10:00 UTC.
  test("Pacific/Apia: a day that is left out has its tick at its end", () => {
    const ticks = ticksAfter("30 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 3);
    expect(ticks).toBe("12-29 22:30, 12-30 10:00, 12-30 22:30");
  });
});

describe("a night on which the clocks are put back", () => {
  // Berlin 2026-10-25: at 01:00 UTC, 03:00 becomes 02:00.
  test.each([
    ["30 2 * * *", "2026-10-24T12:00Z", "10-25 00:30, 10-26 01:30"],
    ["0 2,3 * * *", "2026-10-24T12:00Z", "10-25 00:00, 10-25 02:00, 10-26 01:00"],
    ["0,30 2 * * *", "2026-10-25T00:15Z", "10-25 00:30, 10-26 01:00"],
    ["30 2 * * *", "2026-10-25T01:00Z", "10-26 01:30"],
    ["*/30 * * * *", "2026-10-25T00:15Z", "10-25 00:30, 10-25 01:00, 10-25 01:30, 10-25 02:00"],
    ["0 * * * *", "2026-10-24T23:30Z", "10-25 00:00, 10-25 01:00, 10-25 02:00"],
    ["*/30 2 * * *", "2026-10-24T12:00Z", "10-25 00:00, 10-25 00:30, 10-25 01:00, 10-25 01:30"],
    ["0 */2 * * *", "2026-10-24T22:30Z", "10-25 00:00, 10-25 01:00, 10-25 03:00"],
  ])("Europe/Berlin: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "Europe/Berlin", after, count)).toBe(ticks);
  });

  // New York 2026-11-01: at 06:00 UTC, 02:00 becomes 01:00.
  test.each([
    ["30 1 * * *", "2026-10-31T12:00Z", "11-01 05:30, 11-02 06:30"],
    ["0-30/15 1 * * *", "2026-11-01T05:20Z", "11-01 05:30, 11-01 06:00, 11-01 06:15"],
    ["0,30 1 * * *", "2026-11-01T05:20Z", "11-01 05:30, 11-02 06:00"],
  ])("America/New_York: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "America/New_York", after, count)).toBe(ticks);
  });

  // Lord Howe 2026-04-05: at 15:00 UTC the day before, 02:00 becomes 01:30.
  test.each([
    ["45 1 * * *", "2026-04-04T00:00Z", "04-04 14:45, 04-05 15:15"],
    ["15,45 1 * * *", "2026-04-04T00:00Z", "04-04 14:15, 04-04 14:45, 04-05 14:45"],
    ["*/15 * * * *", "2026-04-04T14:40Z", "04-04 14:45, 04-04 15:00, 04-04 15:15, 04-04 15:30"],
  ])("Australia/Lord_Howe: %s", (text, after, ticks) => {
    const count = ticks.split(", ").length;
    expect(ticksAfter(text, "Australia/Lord_Howe", after, count)).toBe(ticks);
  });
});

describe("the ticks of a span", () => {
  test("are its newest, with how many more there are: a year of minutes", () => {
    const { cron, zone } = read("* * * * *", "Europe/Berlin");
    const span = { from: new Date("2026-01-01T00:00Z"), to: new Date("2026-12-31T23:59Z") };
    const { ticks, more } = ticksBetween(cron, zone, span, 2);
    expect(ticks).toEqual([new Date("2026-12-31T23:58Z"), new Date("2026-12-31T23:59Z")]);
    expect(more).toBe(365 * 1440 - 2);
  });

  test("count one for all that clocks leave out, and none that they repeat", () => {
    const { cron, zone } = read("0,15,30,45 2 * * *", "Europe/Berlin");
    const count = (day: string): number => {
      const span = { from: new Date(`${day}T00:00+01:00`), to: new Date(`${day}T12:00+01:00`) };
      return ticksBetween(cron, zone, span, 0).more;
    };
    expect(["2026-03-28", "2026-03-29", "2026-10-25"].map(count)).toEqual([4, 1, 4]);
  });

  test("are none where it ends before it begins", () => {
    const { cron, zone } = read("* * * * *");
    const span = { from: new Date("2026-01-02T00:00Z"), to: new Date("2026-01-01T00:00Z") };
    expect(ticksBetween(cron, zone, span, 5)).toEqual({ ticks: [], more: 0 });
  });
});

test.each([
  ["* * * * *", "UTC", 1],
  ["*/7 * * * *", "UTC", 4],
  ["0 * * * *", "UTC", 60],
  ["55 23,0 * * *", "UTC", 60],
  ["5 0,23 * * *", "UTC", 60],
  ["0 0 * * *", "UTC", 1440],
  ["0 0 * * *", "Europe/Berlin", 1380],
  ["0 0 1 * *", "UTC", 28 * 1440],
  ["0 0 29 2 *", "UTC", 1461 * 1440],
  ["0 0 1,31 * *", "UTC", 1440],
])("the shortest time between ticks of %s in %s is %d minutes", (text, name, minutes) => {
  const { cron, zone } = read(text, name);
  expect(shortestGap(cron, zone, new Date("2026-01-01T00:00Z"))).toBe(minutes * 60_000);
});
