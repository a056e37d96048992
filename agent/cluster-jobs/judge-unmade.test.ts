import { describe, expect, test } from "vitest";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import { judgeUnmade } from "./judge-unmade.ts";

const event = (message: string, lastTimestamp = "2026-01-01T12:00:00Z"): KubeObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "one" },
  message: `Error creating: ${message}`,
  lastTimestamp,
});

const webhook = 'admission webhook "pods.example" denied the request: no.';
const away =
  'Internal error occurred: failed calling webhook "pods.example": context deadline exceeded';
const policy = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";

describe("a pod that could not be made", () => {
  test.each([
    ["refused", webhook],
    ["refused", `pods "one" is forbidden: ${policy}`],
    ["refused", 'pods "one" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot'],
    ["refused", 'Pod "one" is invalid: spec.containers[0].image: Required value'],
  ])("is hopeless where it is plainly denied: %s, %s", (trouble, message) => {
    expect(judgeUnmade([event(message)])).toMatchObject({ trouble, isHopeless: true });
  });

  test.each([
    ["quota", 'pods "one" is forbidden: exceeded quota: few, requested: pods=1'],
    ["not_started", away],
    ["forbidden", 'pods "one" is forbidden: error looking up service account a/b: not found'],
    ["not_started", "the server was unable to return a response in the time allotted"],
  ])("may be made later where it is not: %s, %s", (trouble, message) => {
    expect(judgeUnmade([event(message)])).toMatchObject({ trouble, isHopeless: false });
  });

  test("is judged by what was told last, whatever the events are called", () => {
    const events = [event(away, "2026-01-01T12:00:02Z"), event(webhook)];
    expect(judgeUnmade(events)?.words).toMatch(/its pod cannot be created: Internal error/);
    expect(judgeUnmade(events.toReversed())?.isHopeless).toBe(false);
    expect(judgeUnmade([])).toBeUndefined();
  });
});
