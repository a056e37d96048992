import { describe, expect, test } from "vitest";
import type { Change } from "./change.ts";
import { diffObjects, type Versions } from "./diff-objects.ts";
import { newKey } from "./keyed-digest.ts";
import type { KubeObject } from "./kube-object.ts";
import { maskedChange } from "./masked-change.ts";

const object = (members: object, kind = "ConfigMap"): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "x", namespace: "y" },
  ...members,
});

const key = newKey();

/** A change of a Secret as it is shown. */
const shown = (versions: Versions): Change["changes"] => {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "y", name: "x" };
  const changes = diffObjects(versions, key);
  return maskedChange({ action: "update", ref, changes, conflicts: [], words: "" }).changes;
};

describe("the difference of two objects", () => {
  test("is nothing where only the server's own members differ", () => {
    const live = { name: "x", namespace: "y", uid: "1", resourceVersion: "7", generation: 3 };
    const before = { ...object({ data: { a: "1" }, status: { seen: true } }), metadata: live };
    expect(diffObjects({ before, after: object({ data: { a: "1" } }) }, key)).toEqual([]);
  });

  test("names members by their paths, items of lists by their names", () => {
    const env = (value: string) => ({ spec: { env: [{ name: "A", value }], ports: [1, 2] } });
    const after = object({ spec: { env: [{ name: "B" }, { name: "A", value: "2" }], ports: [1] } });
    expect(diffObjects({ before: object(env("1")), after }, key)).toEqual([
      { path: "spec.env[A].value", before: "1", after: "2" },
      { path: "spec.env[B]", after: { name: "B" } },
      { path: "spec.ports[1]", before: 2 },
    ]);
  });

  test("shows of a secret's values which change, also in what kubectl left of them", () => {
    const data = { key: Buffer.from("old-secret").toString("base64"), "a.b": "eA==" };
    const before = object({ data }, "Secret");
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "new-secret" };
    const after = {
      ...object({ stringData: { key: "new-secret", more: "x" } }, "Secret"),
      metadata: { name: "x", namespace: "y", annotations },
    };
    expect(shown({ before, after })).toEqual([
      { path: "data.key", before: "(secret)", after: "(another secret)" },
      { path: 'data["a.b"]', before: "(secret)" },
      { path: "data.more", after: "(secret)" },
    ]);
    expect(shown({ after })).toMatchObject([
      { path: "", after: { data: { key: "(secret)", more: "(secret)" } } },
    ]);
    expect(shown({ before: object({}, "Secret"), after })).toEqual([
      { path: "data", after: { key: "(secret)", more: "(secret)" } },
    ]);
  });

  test("tells nothing of a secret's value to whoever has not the key", () => {
    const after = object({ stringData: { pin: "1234" } }, "Secret");
    const told = (by: string): string => JSON.stringify(diffObjects({ after }, by));
    expect(told(key)).toBe(told(key));
    expect(told(key)).not.toBe(told(newKey()));
  });

  test("is nothing where a secret is given as text that is there already", () => {
    const before = object({ data: { key: Buffer.from("same").toString("base64") } }, "Secret");
    const after = object({ stringData: { key: "same" } }, "Secret");
    expect(diffObjects({ before, after }, key)).toEqual([]);
  });
});
