import { describe, expect, test } from "vitest";
import { judgeUnit } from "./check-unit.ts";

const config = { drainTimeout: 30 * 60_000, cancelTimeout: 11 * 60_000, flushTimeout: 60_000 };
const judged = (TimeoutStopUSec: string, KillMode = "process") =>
  judgeUnit(config, new Map(Object.entries({ TimeoutStopUSec, KillMode })));

describe("the service's patience", () => {
  test.each(["45min", "1h 30min", "infinity", "42min 10s"])("of %s is enough", (span) => {
    expect(judged(span).verdict).toBe("ok");
  });

  test.each(["42min 9s", "1min 30s", "0"])("of %s is not", (span) => {
    expect(judged(span).verdict).toBe(span === "0" ? "warning" : "failed");
  });

  test("is said in words, with what to do", () => {
    expect(judged("1min 30s")).toEqual({
      verdict: "failed",
      words: "svc-agent.service gives the agent 1m30s to stop; it may take 42m10s.",
      advice: "Raise TimeoutStopSec, or lower drain-timeout, cancel-timeout or flush-timeout.",
    });
  });
});

test("a service without delegation is told that its jobs get no cgroups", () => {
  const shown = { TimeoutStopUSec: "45min", KillMode: "process", Delegate: "no" };
  expect(judgeUnit(config, new Map(Object.entries(shown)))).toMatchObject({
    verdict: "warning",
    words: expect.stringContaining("Delegate=no") as string,
  });
});

test("a service that ends jobs with the agent is none", () => {
  expect(judged("45min", "control-group")).toMatchObject({
    verdict: "failed",
    words: expect.stringContaining("KillMode=control-group") as string,
  });
});
