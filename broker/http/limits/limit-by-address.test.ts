import { expect, onTestFinished, test, vi } from "vitest";
import { Problem } from "../../../shared/problem.ts";
import { createBuckets } from "./rate-limit.ts";

test("each address has ten seconds' worth of requests at once, and then its pace", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const take = createBuckets("address", 5);
  for (let at = 0; at < 50; at++) take("192.0.2.1");
  expect(() => take("192.0.2.1")).toThrow(Problem);
  expect(() => take("192.0.2.1")).toThrow(
    "Rate limit exceeded: this address may make 5 requests per second.",
  );
  take("192.0.2.2");
  vi.advanceTimersByTime(199);
  expect(() => take("192.0.2.1")).toThrow(Problem);
  vi.advanceTimersByTime(1);
  take("192.0.2.1");
  expect(() => take("192.0.2.1")).toThrow(Problem);
});
