import { describe, expect, test } from "vitest";
import { type FirstRestarts, podTroubles } from "./pod-trouble.ts";

function podOf(restartCount: number, waiting: object = { reason: "CrashLoopBackOff" }, uid = "1") {
  const status = { name: "main", ready: false, restartCount, state: { waiting } };
  const metadata = { name: `web-${uid}`, uid };
  return { apiVersion: "v1", kind: "Pod", metadata, status: { containerStatuses: [status] } };
}

const isHopeless = (pod: ReturnType<typeof podOf>, first: FirstRestarts): boolean =>
  podTroubles(pod, first).some((trouble) => trouble.isHopeless);

describe("a pod that crashes", () => {
  test("is hopeless after five crashes, and not while its database comes up", () => {
    const first: FirstRestarts = new Map();
    const looks = [0, 1, 3, 4, 5].map((restarts) => isHopeless(podOf(restarts), first));
    expect(looks).toEqual([false, false, false, false, true]);
  });

  test("is not hopeless by what it did before it was first seen", () => {
    const first: FirstRestarts = new Map();
    expect(isHopeless(podOf(7), first)).toBe(false);
    expect(isHopeless(podOf(8), first)).toBe(false);
    expect(isHopeless(podOf(5, undefined, "2"), first)).toBe(false);
    expect(podTroubles(podOf(9), first)[0]?.words).toBe("container main crashed 9 times");
    expect(isHopeless(podOf(12), first)).toBe(true);
  });

  test("is hopeless at once without an image", () => {
    expect(isHopeless(podOf(0, { reason: "ImagePullBackOff" }), new Map())).toBe(true);
  });
});
