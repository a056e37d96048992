import { describe, expect, test } from "vitest";
import { jobKind, jobTimeouts, type NewJob } from "../../../broker/jobs/new-job.ts";
import { secondNs } from "../../../shared/duration.ts";
import { type RunnerJobType, runnerJobTypeNames } from "../../../shared/runner-job-types.ts";

const minuteNs = 60 * secondNs;
const dayNs = 24 * 60 * minuteNs;
const job = (type: RunnerJobType, more: Partial<NewJob> = {}): NewJob => ({
  type,
  operation: "exec",
  ...more,
});

const minutes: Partial<Record<RunnerJobType, number>> = {
  "docker-build": 60,
  "terraform-deploy": 60,
  "pulumi-deploy": 60,
  "sandbox-terraform": 60,
  "sandbox-terraform-plan": 60,
  "sandbox-pulumi": 60,
  "helm-chart-deploy": 30,
  "kubernetes-manifest-deploy": 15,
  "job-deploy": 15,
  "oci-sync": 15,
  "container-image-build": 15,
  "runner-terraform": 15,
};

describe("a job that names no timeout", () => {
  test.each(runnerJobTypeNames)("of type %s has the execution timeout of its type", (type) => {
    expect(jobTimeouts(job(type)).executionTimeout / minuteNs).toBe(minutes[type] ?? 5);
  });

  test("waits in the queue for a day, is on offer for a minute, and has one attempt", () => {
    expect(jobTimeouts(job("noop"))).toMatchObject({
      queueTimeout: dayNs,
      availableTimeout: minuteNs,
      maxExecutions: 1,
    });
  });

  test("ends after the sum of what it may take", () => {
    expect(jobTimeouts(job("noop")).overallTimeout).toBe(dayNs + 6 * minuteNs);
    expect(jobTimeouts(job("noop", { maxExecutions: 3 })).overallTimeout).toBe(
      dayNs + 18 * minuteNs,
    );
  });

  test("of an action has the action's own timeout and a minute", () => {
    const action = job("actions-workflow", { actionTimeoutNs: 20 * minuteNs });
    expect(jobTimeouts(action).executionTimeout).toBe(21 * minuteNs);
  });
});

test("0 means the default, for each clock", () => {
  const zeros = {
    queueTimeout: 0,
    availableTimeout: 0,
    executionTimeout: 0,
    overallTimeout: 0,
    maxExecutions: 0,
  };
  expect(jobTimeouts(job("oci-sync", zeros))).toEqual(jobTimeouts(job("oci-sync")));
});

test("terraform, pulumi and helm have ten minutes to stop, all others one", () => {
  const slow = runnerJobTypeNames.filter((type) => jobKind(job(type)).stopGrace === 10 * minuteNs);
  expect(slow).toEqual([
    "terraform-deploy",
    "helm-chart-deploy",
    "pulumi-deploy",
    "sandbox-terraform",
    "sandbox-terraform-plan",
    "sandbox-pulumi",
    "runner-helm",
    "runner-terraform",
  ]);
  const rest = runnerJobTypeNames.filter((type) => !slow.includes(type));
  expect(new Set(rest.map((type) => jobKind(job(type)).stopGrace))).toEqual(new Set([minuteNs]));
});
