import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import { judgeClusterJob } from "./judge-cluster-job.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
beforeEach(() => void vi.useFakeTimers({ now: nowMs, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const pod = (phase: string, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "one", uid: "u1", ...metadata },
  spec: {},
  status: { phase },
});
const job = (...conditions: string[]): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "job" },
  status: { conditions: conditions.map((type) => ({ type, status: "True" })) },
});

describe("a Job that somebody deleted", () => {
  test("is at work while one of its pods is, and gone when that is", () => {
    const at = judgeClusterJob(undefined, [pod("Running")]);
    expect(at.phase).toBe("running");
    expect(judgeClusterJob(undefined, [], at.pods)).toMatchObject({
      phase: "gone",
      fault: { trouble: "gone" },
    });
  });

  test.each(["Succeeded", "Failed"])("is gone when its pod has %s", (phase) => {
    expect(judgeClusterJob(undefined, [pod(phase)]).phase).toBe("gone");
  });
});

describe("a Job that has failed", () => {
  test("is at work while a pod of it is", () => {
    expect(judgeClusterJob(job("Failed"), [pod("Running")]).phase).toBe("running");
    expect(judgeClusterJob(job("Failed"), [pod("Failed")]).phase).toBe("failed");
  });
});

describe("a pod that runs on after its grace", () => {
  const goneBy = (agoMs: number) => ({
    deletionTimestamp: new Date(nowMs - agoMs).toISOString(),
  });

  test("has lost its node two minutes later, and not before", () => {
    expect(judgeClusterJob(job(), [pod("Running", goneBy(120_000))]).fault).toBeUndefined();
    expect(judgeClusterJob(job(), [pod("Running", goneBy(121_000))])).toMatchObject({
      phase: "running",
      fault: { trouble: "node_lost", isHopeless: true },
    });
  });
});
