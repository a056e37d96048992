import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { stopReasons } from "../running-job.ts";
import { makePodStop } from "./pod-stop.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const graceMs = 10_000;

describe("a stop of a job in a pod", () => {
  test.each(stopReasons.filter((reason) => reason !== "lost" && reason !== "over"))(
    "tells its pod to go: %s",
    (reason) => {
      const stop = makePodStop(graceMs);
      stop.stop(reason, "gently");
      expect([stop.reason(), stop.told.aborted, stop.hurried.aborted]).toEqual([
        reason,
        true,
        false,
      ]);
    },
  );

  test.each(["lost", "over"] as const)(
    "leaves its pod the time to bring what it has where that is over for the broker: %s",
    (reason) => {
      const stop = makePodStop(graceMs);
      stop.stop(reason, "gently");
      expect(stop.told.aborted).toBe(false);
      vi.advanceTimersByTime(graceMs + 59_999);
      expect(stop.givenUp.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(stop.givenUp.aborted).toBe(true);
    },
  );

  test("tells a pod to go that was only given up, once somebody wants it to", () => {
    const stop = makePodStop(graceMs);
    stop.stop("lost", "gently");
    stop.stop("agent-stopped", "now");
    expect([stop.reason(), stop.told.aborted, stop.hurried.aborted]).toEqual(["lost", true, true]);
  });
});
