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

test("what is asked for is never undercut", () => {
  for (const asked of [5_000, 3_600_000])
    for (const _ of many) expect(backoffMs(0, limits, asked)).toBeGreaterThanOrEqual(asked);
});

test("the broker is obeyed for up to a day, others for ten minutes", () => {
  expect(retryAfterMs("3600", 0, "broker")).toBe(3_600_000);
  expect(retryAfterMs("999999999", 0, "broker")).toBe(86_400_000);
  expect(retryAfterMs("3600", 0, "others")).toBe(600_000);
});

test("Retry-After is seconds or an instant", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(retryAfterMs("7", now, "broker")).toBe(7_000);
  expect(retryAfterMs("Thu, 01 Jan 2026 00:00:03 GMT", now, "broker")).toBe(3_000);
  expect(retryAfterMs("Thu, 01 Jan 2025 00:00:03 GMT", now, "broker")).toBe(0);
  expect(retryAfterMs("soon", now, "broker")).toBeUndefined();
  expect(retryAfterMs(undefined, now, "broker")).toBeUndefined();
});
