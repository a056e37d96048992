import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cleanupTimeout } from "./cleanup-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the time for always-steps", () => {
  test("is 30 s for all of them, from the stop on", () => {
    const stopping = new AbortController();
    const clock = cleanupTimeout(stopping.signal);
    const first = clock.signal();
    vi.advanceTimersByTime(3_600_000);
    expect(first.aborted).toBe(false);
    stopping.abort();
    vi.advanceTimersByTime(20_000);
    const second = clock.signal();
    vi.advanceTimersByTime(9_999);
    expect([first.aborted, second.aborted]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([first.aborted, second.aborted]).toEqual([true, true]);
  });

  test("has no end once the job is over", () => {
    const stopping = new AbortController();
    const clock = cleanupTimeout(stopping.signal);
    const signal = clock.signal();
    stopping.abort();
    clock.close();
    vi.advanceTimersByTime(60_000);
    expect(signal.aborted).toBe(false);
  });
});
