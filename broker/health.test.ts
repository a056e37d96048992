import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHealth } from "./health.ts";

beforeEach(() => void vi.useFakeTimers({ toNotFake: ["setImmediate"] }));
afterEach(() => void vi.useRealTimers());

test("a check that does not answer has failed after a second", async () => {
  const health = createHealth();
  health.addCheck("mute", () => new Promise(() => {}));
  const checked = health.runChecks();
  vi.advanceTimersByTime(1000);
  expect(await checked).toContainEqual({ name: "mute", fault: "no answer within a second" });
});

test("a check whose answer is there when its second is over has passed", async () => {
  const health = createHealth();
  health.addCheck(
    "read late",
    () => new Promise((resolve) => setImmediate(() => resolve(undefined))),
  );
  const checked = health.runChecks();
  vi.advanceTimersByTime(1000);
  expect(await checked).toContainEqual({ name: "read late", fault: undefined });
});
