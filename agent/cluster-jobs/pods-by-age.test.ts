import { expect, test } from "vitest";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import { judgeClusterJob } from "./judge-cluster-job.ts";

const pod = (name: string, minute: number, exitCode: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, uid: name, creationTimestamp: `2026-01-01T12:0${minute}:00Z` },
  status: {
    phase: "Failed",
    containerStatuses: [{ name: "main", state: { terminated: { exitCode } } }],
  },
});
const failed: KubeObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "job" },
  status: { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] },
};

test("a Job with several pods failed as the one that was made last did, whatever it is called", () => {
  const [first, second, third] = [pod("job-z", 1, 1), pod("job-a", 2, 2), pod("job-m", 3, 3)];
  const look = judgeClusterJob(failed, [second, third, first]);
  expect(look.pods.map(({ name }) => name)).toEqual(["job-z", "job-a", "job-m"]);
  expect(look.fault?.words).toBe("pod job-m: container main ended with code 3");
  // One that is gone keeps its place.
  const later = judgeClusterJob(failed, [first, second], look.pods);
  expect(later.pods.map(({ name }) => name)).toEqual(["job-z", "job-a", "job-m"]);
});
