import { afterEach, expect, test, vi } from "vitest";
import { runningTimer } from "./running-timer.ts";

afterEach(() => void vi.useRealTimers());

test("is over after so long", async () => {
  vi.useFakeTimers({ toNotFake: ["setImmediate"] });
  const isOver = vi.fn<() => void>();
  const { over } = runningTimer(1_000);
  void over.then(isOver);
  await vi.advanceTimersByTimeAsync(999);
  expect(isOver).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await over;
});

test("is never over once it was stopped", async () => {
  vi.useFakeTimers({ toNotFake: ["setImmediate"] });
  const isOver = vi.fn<() => void>();
  const { over, stop } = runningTimer(1_000);
  void over.then(isOver);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).not.toHaveBeenCalled();
});

test("lets a process that was stopped for all of it read what came meanwhile", async () => {
  const { port1, port2 } = new MessageChannel();
  const { over, stop } = runningTimer(100);
  const first = Promise.race([
    over.then(() => "the end of the time"),
    new Promise((resolve) => {
      port2.addEventListener("message", () => resolve("the answer"));
      port2.start();
    }),
  ]);
  port1.postMessage("it");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(await first).toBe("the answer");
  stop();
  port2.close();
});
