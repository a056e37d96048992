import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchStalls } from "./stall-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what stalls is given up; what goes on or is done is not", () => {
  const { add, remove } = watchStalls(15_000);
  const given: string[] = [];
  const watch = (name: string) => {
    const watched = { lastAtMs: performance.now(), giveUp: () => void given.push(name) };
    add(watched);
    return watched;
  };
  const [stalled, lively, done] = [watch("stalled"), watch("lively"), watch("done")];
  vi.advanceTimersByTime(10_000);
  lively.lastAtMs = performance.now();
  remove(done);
  vi.advanceTimersByTime(7_500);
  expect(given).toEqual(["stalled"]);
  remove(stalled);
  vi.advanceTimersByTime(60_000);
  expect(given).not.toContain("done");
});
