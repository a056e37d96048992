import { describe, expect, test } from "vitest";
import { makeKeeper } from "./keeper.ts";

const limits = { fromMs: 1_000, mostMs: 60_000 };
const running = (key: string) => ({ isRunning: true, key });
const ended = (exitCode?: number) => ({ isRunning: false, exitCode });

/** Starts it, lets it run so long, and ends it. */
function ends(keeper: ReturnType<typeof makeKeeper>, atMs: number, exitCode: number, ranMs = 10) {
  keeper.started(atMs);
  keeper.advise(running(`${atMs}`), atMs);
  return keeper.advise(ended(exitCode), atMs + ranMs);
}

describe("the keeper of an agent", () => {
  test("has an agent started that is not there", () => {
    expect(makeKeeper(limits).advise(ended(), 0)).toEqual({ do: "start" });
  });

  test("waits ever longer, never over the bound, and not in step with others", () => {
    const keeper = makeKeeper(limits);
    const waits = Array.from({ length: 30 }, (_, nth) => {
      const advice = ends(keeper, nth * 100_000, 1);
      return advice.do === "wait" ? advice.ms : 0;
    });
    waits.forEach((ms, nth) => expect(ms).toBeLessThanOrEqual(Math.min(60_000, 1_000 * 2 ** nth)));
    expect(new Set(waits.slice(8)).size).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeGreaterThan(20_000);
  });

  test("begins anew after a healthy minute", () => {
    const keeper = makeKeeper(limits);
    for (let nth = 0; nth < 10; nth++) ends(keeper, nth * 100_000, 1);
    const advice = ends(keeper, 2_000_000, 1, 60_000);
    expect(advice.do === "wait" ? advice.ms : 0).toBeLessThanOrEqual(1_000);
  });

  test.each([0, 130, 131, 143])("leaves one that was asked to end (%i)", (code) => {
    expect(ends(makeKeeper(limits), 0, code)).toMatchObject({ do: "leave" });
  });

  test("starts one at once that wants to be restarted (75)", () => {
    expect(ends(makeKeeper(limits), 0, 75)).toEqual({ do: "start" });
  });

  test.each([64, 77, 78])("waits longest where it would end the same way again (%i)", (code) => {
    expect(ends(makeKeeper(limits), 0, code)).toEqual({ do: "wait", ms: 60_000 });
  });
});
