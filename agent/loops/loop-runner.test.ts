import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Unanswered } from "../client/broker-errors.ts";
import { openLog } from "../log.ts";
import { makeLoopRunner } from "./loop-runner.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { fromMs: 100, mostMs: 1_000 };
const book = () => makeLoopRunner(openLog("silent", { write: () => {} }), limits, () => {});

test("a loop that hangs stands still; one that comes round or fails does not", async () => {
  const { run, health } = book();
  const closed = new AbortController();
  void run("hangs", closed.signal, async () => await new Promise(() => {}));
  void run("turns", closed.signal, async ({ turn }) => {
    for (;;) {
      turn();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  void run("fails", closed.signal, async () => await Promise.reject(new Unanswered("no answer")));
  await vi.advanceTimersByTimeAsync(60_000);
  const still = Object.fromEntries(health().map(({ name, stillMs }) => [name, stillMs]));
  expect(still["hangs"]).toBe(60_000);
  expect(still["turns"]).toBeLessThanOrEqual(500);
  expect(still["fails"]).toBe(0);
  closed.abort();
});

test("a loop that was asked to wait does not stand still while it waits", async () => {
  const { run, health } = book();
  const closed = new AbortController();
  void run("waits", closed.signal, async () => {
    await Promise.reject(new Unanswered("busy", 3_600_000));
  });
  await vi.advanceTimersByTimeAsync(1_800_000);
  expect(health()).toMatchObject([{ name: "waits", isWell: false, stillMs: 0 }]);
  closed.abort();
});
