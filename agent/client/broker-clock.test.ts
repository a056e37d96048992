import { expect, test } from "vitest";
import { makeBrokerClock } from "./broker-clock.ts";

const atMs = Date.parse("2026-01-01T12:00:00Z");
const headers = { date: new Date(atMs - 90_000).toUTCString() };

test("a clock learns from prompt answers with a date, and says whether it has", () => {
  const clock = makeBrokerClock();
  expect(clock.learn({ headers, atMs, tookMs: 1_600 })).toBe(false);
  expect(clock.learn({ headers: {}, atMs, tookMs: 1 })).toBe(false);
  expect(clock.skewMs()).toBe(0);
  expect(clock.isKnown()).toBe(false);
  expect(clock.learn({ headers, atMs, tookMs: 1_000 })).toBe(true);
  expect(clock.skewMs()).toBe(89_000); // half of the way, and half of the second that a date tells
  expect(clock.isKnown()).toBe(true);
});

test("a skew stays while answers may tell the same, and changes with the host's clock", () => {
  const clock = makeBrokerClock();
  clock.learn({ headers, atMs, tookMs: 100 });
  const first = clock.skewMs();
  for (const laterMs of [900, -900]) {
    clock.learn({ headers, atMs: atMs + laterMs, tookMs: 100 });
    expect(clock.skewMs()).toBe(first);
  }
  clock.learn({ headers, atMs: atMs - 90_000 + 400, tookMs: 100 }); // somebody has set it right
  expect(clock.skewMs()).toBe(0);
  clock.learn({ headers, atMs: atMs - 90_000 - 400, tookMs: 100 });
  expect(clock.skewMs()).toBe(0);
});
