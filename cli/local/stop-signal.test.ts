import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { watchStopSignal } from "./stop-signal.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

let exit: MockInstance<typeof process.exit>;
/** Listeners that others have are not ours to call or to remove. */
let before: Map<string, readonly unknown[]>;

beforeEach(() => {
  vi.useFakeTimers();
  exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
});
afterEach(() => {
  for (const signal of signals) for (const one of ours(signal)) process.off(signal, one);
  vi.useRealTimers();
});

const ours = (signal: NodeJS.Signals): NodeJS.SignalsListener[] =>
  process.listeners(signal).filter((one) => before.get(signal)?.includes(one) === false);

/** As if the signal had come to this process. */
function come(signal: NodeJS.Signals): void {
  for (const listener of ours(signal)) listener(signal);
}

describe.each(signals)("%s", (signal) => {
  test("is a wish to stop, with less than five seconds from then on", async () => {
    const stop = watchStopSignal();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stop.hasArrived()).toBe(false);
    const cameMs = performance.now();
    come(signal);
    await stop.arrival;
    expect(stop.hasArrived()).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stop.deadlineMs() - cameMs).toBeLessThan(5_000);
    expect(exit).not.toHaveBeenCalled();
  });
});

test("whatever hangs, the process ends at the deadline, before five seconds are over", async () => {
  const stop = watchStopSignal();
  come("SIGINT");
  await vi.advanceTimersByTimeAsync(stop.deadlineMs() - performance.now() - 1);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(exit.mock.calls).toEqual([[0]]);
});

test("a second key ends it at once; one key that arrives twice does not", async () => {
  watchStopSignal();
  come("SIGINT");
  await vi.advanceTimersByTimeAsync(400);
  come("SIGINT");
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  come("SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});
