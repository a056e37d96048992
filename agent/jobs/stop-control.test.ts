import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeStopControl, type StopControl } from "./stop-control.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const day = 86_400_000;

/** A job that has so long, and needs so long to come to rest. */
function givenControl(hasMs: number, stopGraceMs = 12_000): StopControl {
  const now = Date.now();
  return makeStopControl({ startedAtMs: now, deadlineAtMs: now + hasMs, stopGraceMs });
}

describe("a job's stop control", () => {
  test("stops it so long before its deadline that it can rest and report, and then kills", () => {
    const { signal, killSignal, cause } = givenControl(300_000);
    vi.advanceTimersByTime(284_999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(cause()).toEqual({ kind: "deadline" });
    vi.advanceTimersByTime(9_999);
    expect(killSignal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(killSignal.aborted).toBe(true);
  });

  test("leaves a short job three quarters of its time", () => {
    const { signal, killSignal } = givenControl(4_000);
    vi.advanceTimersByTime(2_999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect([signal.aborted, killSignal.aborted]).toEqual([true, false]);
    vi.advanceTimersByTime(500);
    expect(killSignal.aborted).toBe(true);
  });

  test("keeps deadlines that are further off than a timer can be", () => {
    const { signal } = givenControl(30 * day);
    vi.advanceTimersByTime(30 * day - 16_000);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(signal.aborted).toBe(true);
  });

  test("tells the first cause, whatever comes after; a later one may hasten", () => {
    const { stop, cause, killSignal, stopAfter } = givenControl(300_000);
    stopAfter(1_000, "job-timeout", "after 1s");
    stop({ kind: "cancelled" }, "gently");
    vi.advanceTimersByTime(2_000);
    expect([cause(), killSignal.aborted]).toEqual([{ kind: "cancelled" }, false]);
    stop({ kind: "agent-stopped" }, "now");
    expect([cause(), killSignal.aborted]).toEqual([{ kind: "cancelled" }, true]);
  });

  test("kills without asking first what is to end at once", () => {
    const { stop, signal, killSignal, cause } = givenControl(300_000);
    const seen: unknown[] = [];
    killSignal.addEventListener("abort", () => seen.push("killed"));
    signal.addEventListener("abort", () => seen.push(cause()));
    stop({ kind: "forced" }, "now");
    expect(seen).toEqual(["killed", { kind: "forced" }]);
  });

  test.each(["lost", "over"] as const)("leaves what is %s the time to come to rest", (kind) => {
    const { stop, signal, killSignal } = givenControl(300_000);
    stop({ kind }, "gently");
    expect([signal.aborted, killSignal.aborted]).toEqual([true, false]);
  });

  test("stops nothing any more once it is closed", () => {
    const { close, signal } = givenControl(10_000);
    close();
    vi.advanceTimersByTime(day);
    expect(signal.aborted).toBe(false);
  });
});
