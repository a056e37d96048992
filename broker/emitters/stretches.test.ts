import fc from "fast-check";
import { expect, test } from "vitest";
import { isZoneFault, parseZone, type Zone } from "./parse-zone.ts";
import { findStretches, stretchAt } from "./stretches.ts";

const hourMs = 3_600_000;

function zoneOf(name: string): Zone {
  const zone = parseZone(name);
  if (isZoneFault(zone)) throw new Error(zone.message);
  return zone;
}

test.each([
  ["Europe/Berlin", "2026-03-29T01:00Z", 1, 2],
  ["Europe/Berlin", "2026-10-25T01:00Z", 2, 1],
  ["America/New_York", "2026-11-01T06:00Z", -4, -5],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z", 11, 10.5],
  ["Africa/Casablanca", "2026-02-15T02:00Z", 1, 0],
  ["Africa/Casablanca", "2026-03-22T02:00Z", 0, 1],
  ["Pacific/Apia", "2011-12-30T10:00Z", -10, 14],
  // Forward and back in less than a week.
  ["America/Recife", "2000-10-08T03:00Z", -3, -2],
  ["America/Recife", "2000-10-15T02:00Z", -2, -3],
  ["Asia/Kathmandu", "1985-12-31T18:30Z", 5.5, 5.75],
])("%s changes at %s from %d to %d hours", (name, at, before, offset) => {
  const zone = zoneOf(name);
  const startAt = Date.parse(at);
  const change = { startAt, before: before * hourMs, offset: offset * hourMs };
  expect(stretchAt(zone, startAt)).toMatchObject(change);
  expect(stretchAt(zone, startAt - 1)).toMatchObject({ endAt: startAt, offset: before * hourMs });
});

test("a zone is as far from UTC as Intl shows by its clock, anywhere and at any time", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const seconds = { min: Date.UTC(1972, 1, 1) / 1000, max: Date.UTC(2060, 0, 1) / 1000 };
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer(seconds), (name, second) => {
      const at = second * 1000;
      const format = new Intl.DateTimeFormat("sv-SE", {
        timeZone: name,
        dateStyle: "short",
        timeStyle: "medium",
      });
      const shown = Date.parse(`${format.format(at).replace(" ", "T")}Z`);
      const stretch = stretchAt(zoneOf(name), at);
      expect(stretch.offset).toBe(shown - at);
      expect(stretch.startAt <= at && at < stretch.endAt).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a year takes 75 looks at a zone, and 20 for each change", () => {
  const changes = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)];
  let looks = 0;
  const found = findStretches(2026, (at) => {
    looks++;
    return changes.filter((change) => change <= at).length === 1 ? 2 * hourMs : hourMs;
  });
  expect(found.map(({ startAt }) => startAt)).toEqual([Date.UTC(2026, 0, 1), ...changes]);
  expect(looks).toBeLessThanOrEqual(75 + 2 * 20);
});

test("two changes that are five days apart are both found, wherever in a year they are", () => {
  for (let day = 0; day < 360; day++) {
    const forward = Date.UTC(2026, 0, 1 + day, 3);
    const back = forward + 120 * hourMs;
    const found = findStretches(2026, (at) => (at >= forward && at < back ? hourMs : 0));
    expect(found.map(({ startAt }) => startAt)).toEqual([Date.UTC(2026, 0, 1), forward, back]);
  }
});
