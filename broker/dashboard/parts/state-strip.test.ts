import { expect, test } from "vitest";
import type { AvailabilityState } from "../../../shared/api/runner-availability.ts";
import { availabilityText, knownMsOf } from "./state-strip.ts";

const hourMs = 3_600_000;

const period = (state: AvailabilityState, hours: number) => ({
  state,
  paused: false,
  draining: false,
  from: "2026-01-31T00:00:00Z",
  to: new Date(Date.UTC(2026, 0, 31) + hours * hourMs).toISOString(),
});

test.each([
  [1, 24, "100 %"],
  [0.9996, 24, "99.9 %"],
  [0, 2, "0.0 %"],
  [1, 0.99, "–"],
  [null, 24, "–"],
])("a share of %s of %s known hours is told as %s", (share, hours, wanted) => {
  expect(availabilityText(share, hours * hourMs)).toBe(wanted);
});

test("what is known is the time in which a runner served, or was silent", () => {
  const periods = [
    period("active", 1),
    period("degraded", 2),
    period("offline", 3),
    period("shut-down", 4),
    period("no-data", 5),
  ];
  expect(knownMsOf(periods)).toBe(6 * hourMs);
});
