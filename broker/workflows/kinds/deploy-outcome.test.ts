import { expect, test } from "vitest";
import type { StepJob } from "../machine/workflow-rows.ts";
import { deployOutcome } from "./deploy-outcome.ts";

const failed = (more: Partial<StepJob>): StepJob => ({
  id: "job_a",
  status: "failed",
  status_description: "it failed",
  clock: null,
  composite_error: {
    type: "deploy.plan_stale",
    title: "This is not what was approved",
    detail: "The cluster has changed since.",
    retryable: false,
  },
  class: null,
  is_stopping: false,
  ...more,
});

test.each([
  ["plan_stale", "plan_changed"],
  ["plan_changed", "plan_changed"],
  ["unknown_type", "runner_outdated"],
  ["missing_value", "missing_value"],
  ["render_failed", "render_failed"],
  ["policy", "policy_denied"],
])("a job of the class %s is a fault %s, in the job's own words", (kind, code) => {
  expect(deployOutcome(failed({ class: kind }))).toMatchObject({
    kind: "fault",
    fault: {
      code,
      detail: "The cluster has changed since.",
      retryable: false,
      runner_job_id: "job_a",
      facts: { class: kind },
    },
  });
});

test("any other class says no more than that the job failed", () => {
  const { kind, ...rest } = deployOutcome(failed({ class: "quota" }));
  expect([kind, rest]).toMatchObject(["fault", { fault: { code: "job_failed" } }]);
});
