import { expect, test } from "vitest";
import { localTime } from "./local-time.ts";

test.each([
  ["UTC", "2026-01-31T08:00:00Z", "2026-01-31T08:00:00+00:00"],
  ["Europe/Berlin", "2026-01-31T23:30:00Z", "2026-02-01T00:30:00+01:00"],
  ["Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00"], // the hour that comes twice
  ["Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00"],
  ["America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31T20:30:00-03:30"],
  ["Asia/Kathmandu", "2026-01-01T00:00:00Z", "2026-01-01T05:45:00+05:45"],
  ["Mars/Olympus", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00"],
])("clocks of %s show %s as %s", (zone, instant, wanted) => {
  expect(localTime(zone, new Date(instant))).toBe(wanted);
  expect(Date.parse(wanted)).toBe(Date.parse(instant));
});
