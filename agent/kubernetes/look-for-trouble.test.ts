import { expect, test } from "vitest";
import type { Cluster, Located } from "./cluster.ts";
import { lookForTrouble } from "./look-for-trouble.ts";

test("a CustomResourceDefinition that was made just now, whose conditions are null, has no trouble", async () => {
  const kind = "CustomResourceDefinition";
  const apiVersion = "apiextensions.k8s.io/v1";
  const ref = { apiVersion, kind, namespace: "", name: "widgets.example" };
  const resource = { apiVersion, kind, plural: "customresourcedefinitions", isNamespaced: false };
  const at: Located = { ref, resource };
  const made = { apiVersion, kind, metadata: { name: ref.name }, status: { conditions: null } };
  const none = {} as Cluster; // a kind without pods asks it nothing
  expect((await lookForTrouble(none, at, made)).words).toEqual([]);
});
