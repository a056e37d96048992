import { expect, test } from "vitest";
import { diffInputs } from "./diff-inputs.ts";

const ref = (kind: string, name: string) => ({
  apiVersion: "v1",
  kind,
  namespace: "shop",
  name,
});
const entry = (action: string, kind: string, more: object = {}) => ({
  action,
  ref: ref(kind, "a"),
  changes: [],
  ...more,
});
const object = (kind: string, more: object = {}) => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a" },
  ...more,
});

test("each object that changes is a review, in its namespace, and others are none", () => {
  const judged = diffInputs({
    content_diff: [
      entry("create", "Service", { changes: [{ path: "", after: object("Service") }] }),
      entry("update", "ConfigMap", {
        object: object("ConfigMap", { data: { a: "2" } }),
        old_object: object("ConfigMap", { data: { a: "1" } }),
        changes: [{ path: "data.a", before: "1", after: "2" }],
      }),
      entry("delete", "Pod", { old_object: object("Pod") }),
      entry("unchanged", "Secret"),
      entry("keep", "Namespace"),
    ],
  });
  expect(judged?.inputs).toMatchObject([
    { identity: "Service shop/a", document: { review: { operation: "CREATE", oldObject: null } } },
    {
      identity: "ConfigMap shop/a",
      document: {
        review: {
          operation: "UPDATE",
          namespace: "shop",
          object: { data: { a: "2" } },
          oldObject: { data: { a: "1" } },
        },
      },
    },
    { identity: "Pod shop/a", document: { review: { operation: "DELETE", object: null } } },
  ]);
});

test("the objects of another runner are named beside them, and their Secrets are hidden", () => {
  const judged = diffInputs({
    helm_content_diff: [
      {
        api: "v1",
        kind: "Secret",
        name: "key",
        namespace: "shop",
        before: "",
        after: { data: { word: Buffer.from("kube-word").toString("base64") } },
      },
    ],
  });
  expect(judged?.inputs).toMatchObject([
    { identity: "Secret shop/key", document: { review: { operation: "CREATE" } } },
  ]);
  expect(judged?.secrets).toContain("kube-word");
});

test.each([
  ["no diff", { plan: "text" }],
  ["an update that tells members alone", { content_diff: [entry("update", "Service")] }],
  ["a deletion of nobody knows what", { content_diff: [entry("delete", "Service")] }],
  ["a text of YAML", { content_diff: [{ kind: "Pod", name: "a", api: "v1", after: "kind: Pod" }] }],
  ["a list of something else", { content_diff: ["x"] }],
])("%s cannot be judged", (_, shown) => {
  expect(diffInputs(shown)).toBeUndefined();
});
