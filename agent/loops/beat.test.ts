import { describe, expect, test } from "vitest";
import { isBeatDue } from "./beat.ts";

/** After how many intervals a process that rests sends a heartbeat again. */
function restOf(everyMs: number): number {
  const intervals = Array.from({ length: 20 }, (_, at) => at + 1);
  return intervals.find((nth) => isBeatDue({ sinceMs: nth * everyMs, everyMs })) ?? Infinity;
}

describe("a process that holds nothing and has a claim parked", () => {
  test("beats every third time where beats are wanted every five seconds or more often", () => {
    expect([1_000, 2_000, 5_000].map(restOf)).toEqual([3, 3, 3]);
  });

  test("is never silent for more than fifteen seconds, unless it is to beat more seldom anyway", () => {
    expect(restOf(7_000) * 7_000).toBeLessThanOrEqual(15_000);
    expect([8_000, 15_000, 30_000].map(restOf)).toEqual([1, 1, 1]);
  });

  test("beats in time although each interval is a little shorter than it is told", () => {
    const everyMs = 5_000;
    expect(isBeatDue({ sinceMs: 2 * 0.9 * everyMs, everyMs })).toBe(false);
    expect(isBeatDue({ sinceMs: 3 * 0.9 * everyMs, everyMs })).toBe(true);
  });
});
