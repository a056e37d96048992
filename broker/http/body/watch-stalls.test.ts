import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchStalls } from "./watch-stalls.ts";

beforeEach(() => void vi.useFakeTimers({ toNotFake: ["setImmediate"] }));
afterEach(() => void vi.useRealTimers());

test("what stalls is given up; what goes on or is done is not", async () => {
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
  await nextTurn();
  expect(given).toEqual(["stalled"]);
  remove(stalled);
  vi.advanceTimersByTime(60_000);
  await nextTurn();
  expect(given).not.toContain("done");
});

test("what was sent while this process stood is read before anything is given up", async () => {
  const giveUp = vi.fn<() => void>();
  const watched = { lastAtMs: performance.now(), giveUp };
  watchStalls(15_000).add(watched);
  setImmediate(() => (watched.lastAtMs = performance.now()));
  vi.advanceTimersByTime(60_000);
  await nextTurn();
  expect(giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  await nextTurn();
  expect(giveUp).toHaveBeenCalled();
});
