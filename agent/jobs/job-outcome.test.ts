import { expect, test } from "vitest";
import { makeRedactor } from "../logs/redactor.ts";
import { JobFailure } from "./job-failure.ts";
import { jobOutcome } from "./job-outcome.ts";

test("a message is cut after secrets are taken out of it: no piece of one is left", () => {
  const secret = "Tr0ub4dor-and-3-horses";
  const failure = new JobFailure(`${"x".repeat(3_980)}${secret}!`, { reason: "step_failed" });
  const redactor = makeRedactor([secret]);
  for (const ending of [
    { kind: "failed", failure },
    { kind: "stopped", cause: { kind: "cancelled" }, failure },
  ] as const) {
    const { result } = jobOutcome(ending, redactor);
    const message = result?.error_metadata?.["message"] ?? "";
    expect(message).toMatch(/x\*+!?$/);
    expect(message.length).toBeLessThanOrEqual(4_000);
  }
});
