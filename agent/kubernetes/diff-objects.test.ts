import { describe, expect, test } from "vitest";
import { diffObjects } from "./diff-objects.ts";
import type { KubeObject } from "./kube-object.ts";

const object = (members: object, kind = "ConfigMap"): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "x", namespace: "y" },
  ...members,
});

describe("the difference of two objects", () => {
  test("is nothing where only the server's own members differ", () => {
    const live = { name: "x", namespace: "y", uid: "1", resourceVersion: "7", generation: 3 };
    const before = { ...object({ data: { a: "1" }, status: { seen: true } }), metadata: live };
    expect(diffObjects(before, object({ data: { a: "1" } }))).toEqual([]);
  });

  test("names members by their paths, items of lists by their names", () => {
    const env = (value: string) => ({ spec: { env: [{ name: "A", value }], ports: [1, 2] } });
    const after = object({ spec: { env: [{ name: "B" }, { name: "A", value: "2" }], ports: [1] } });
    expect(diffObjects(object(env("1")), after)).toEqual([
      { path: "spec.env[A].value", before: "1", after: "2" },
      { path: "spec.env[B]", after: { name: "B" } },
      { path: "spec.ports[1]", before: 2 },
    ]);
  });

  test("shows of a secret's values their digest and length, also in what kubectl left of them", () => {
    const before = object(
      { data: { key: Buffer.from("old-secret").toString("base64") } },
      "Secret",
    );
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "new-secret" };
    const after = {
      ...object({ stringData: { key: "new-secret", same: "x" } }, "Secret"),
      metadata: { name: "x", namespace: "y", annotations },
    };
    const changes = diffObjects(before, after);
    expect(JSON.stringify(changes)).not.toMatch(/new-secret|old-secret/);
    expect(changes[0]).toMatchObject({
      path: "data.key",
      after: expect.stringMatching(/^sha256:[0-9a-f]{64} \(10 bytes\)$/) as string,
    });
  });

  test("is nothing where a secret is given as text that is there already", () => {
    const before = object({ data: { key: Buffer.from("same").toString("base64") } }, "Secret");
    expect(diffObjects(before, object({ stringData: { key: "same" } }, "Secret"))).toEqual([]);
  });
});
