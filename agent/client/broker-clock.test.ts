import { expect, test } from "vitest";
import { makeBrokerClock } from "./broker-clock.ts";

const atMs = Date.parse("2026-01-01T12:00:00Z");
const headers = { date: new Date(atMs - 90_000).toUTCString() };

test("a clock learns from prompt answers with a date, and says whether it has", () => {
  const clock = makeBrokerClock();
  expect(clock.learn({ headers, atMs, tookMs: 1_600 })).toBe(false);
  expect(clock.learn({ headers: {}, atMs, tookMs: 1 })).toBe(false);
  expect(clock.skewMs()).toBe(0);
  expect(clock.learn({ headers, atMs, tookMs: 1_000 })).toBe(true);
  expect(clock.skewMs()).toBe(89_000); // half of the way, and half of the second that a date tells
});
