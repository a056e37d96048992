import { expect, test } from "vitest";
import { backoffMs, retryAfterMs } from "./backoff.ts";

const limits = { fromMs: 100, mostMs: 1_000 };
const many = Array.from({ length: 500 }, (_, at) => at);

test("a wait is drawn from zero to a bound that doubles up to the most", () => {
  for (const [nth, bound] of [
    [0, 100],
    [2, 400],
    [9, 1_000],
    [1_000, 1_000],
  ] as const) {
    const drawn = many.map(() => backoffMs(nth, limits));
    expect(Math.max(...drawn)).toBeLessThanOrEqual(bound);
    expect(Math.max(...drawn)).toBeGreaterThan(bound * 0.8);
    expect(Math.min(...drawn)).toBeLessThan(bound * 0.2);
  }
});

test("what the broker asks for is never undercut, and bounded", () => {
  for (const _ of many) expect(backoffMs(0, limits, 5_000)).toBeGreaterThanOrEqual(5_000);
  expect(backoffMs(0, limits, 1e12)).toBeLessThan(11 * 60_000);
});

test("Retry-After is seconds or an instant", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(retryAfterMs("7", now)).toBe(7_000);
  expect(retryAfterMs("Thu, 01 Jan 2026 00:00:03 GMT", now)).toBe(3_000);
  expect(retryAfterMs("Thu, 01 Jan 2025 00:00:03 GMT", now)).toBe(0);
  expect(retryAfterMs("soon", now)).toBeUndefined();
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});
