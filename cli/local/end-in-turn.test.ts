import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Ending, endInTurn } from "./end-in-turn.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Endings that take so long, or fail, first to last; and who was given how much. */
function setup(...taking: readonly (number | "fails")[]) {
  const given: [number, number][] = [];
  const endings = taking.map((takesMs, at): Ending => ({
    mostMs: 3_000,
    sparesMs: at * 500,
    end: async (withinMs) => {
      given.push([at, withinMs]);
      if (takesMs === "fails") throw new Error(`${at} fails`);
      await vi.advanceTimersByTimeAsync(takesMs);
    },
  }));
  return { given, ended: () => endInTurn(endings, performance.now() + 5_000) };
}

describe("what has to end by one deadline", () => {
  test("is ended from the last to the first, each given no more than it needs", async () => {
    const { ended, given } = setup(10, 10, 10);
    await ended();
    expect(given).toEqual([
      [2, 3_000],
      [1, 3_000],
      [0, 3_000],
    ]);
  });

  test("gets what those before it left, and no less than they must spare it", async () => {
    const { ended, given } = setup(10, 400, 4_000);
    await ended();
    expect(given).toEqual([
      [2, 3_000],
      [1, 500],
      [0, 600],
    ]);
  });

  test("is ended all the same when the time is over", async () => {
    const { ended, given } = setup(10, 10, 9_000);
    await ended();
    expect(given).toEqual([
      [2, 3_000],
      [1, 0],
      [0, 0],
    ]);
  });

  test("is ended whether or not another fails, and the first failure is told", async () => {
    const { ended, given } = setup("fails", 10, "fails");
    await expect(ended()).rejects.toThrow("2 fails");
    expect(given.map(([at]) => at)).toEqual([2, 1, 0]);
  });
});
