import { describe, expect, test } from "vitest";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planViewOf } from "./plan-view-of.ts";
import type { PlanView } from "./plan-view.ts";

const viewOf = (type: RunnerJobType, shown: unknown, secrets: string[] = []): PlanView =>
  planViewOf({ type, shown, summary: undefined, text: "", secrets });

const ref = (kind: string, name: string, apiVersion = "v1") => ({
  apiVersion,
  kind,
  namespace: "shop",
  name,
});
const entry = (action: string, of: object, changes: object[] = []) => ({
  action,
  ref: of,
  changes,
  conflicts: [],
  words: "",
});

describe("the view of manifests and charts", () => {
  const diff = {
    version: 2,
    op: "apply",
    counts: { create: 1, update: 2, unchanged: 1, conflict: 1, delete: 1, keep: 1 },
    plan: "…",
    content_diff: [
      entry("create", ref("Deployment", "web", "apps/v1"), [
        {
          path: "",
          after: {
            kind: "Deployment",
            spec: { replicas: 2, containers: [{ name: "web", image: "web:word-1" }] },
          },
        },
      ]),
      entry("update", ref("ConfigMap", "conf"), [
        { path: "data.a", before: "1", after: "2" },
        { path: "data.b", before: "gone" },
      ]),
      entry("update", ref("Secret", "key"), [
        { path: "data.word", before: "(secret)", after: "(another secret)" },
      ]),
      entry("unchanged", ref("Service", "web")),
      entry("delete", ref("Job", "old", "batch/v1")),
      { ...entry("keep", ref("Namespace", "shop")), words: "delete_kinds does not name Namespace" },
      {
        ...entry("conflict", ref("Service", "other")),
        conflicts: [{ manager: "kubectl", field: ".spec.ports" }],
      },
    ],
  };

  test("has each object with its members, and says of secrets only that they change", () => {
    expect(viewOf("kubernetes-manifest-deploy", diff, ["word-1"])).toEqual({
      kind: "plan_view",
      tool: "manifests",
      summary: { added: 1, changed: 2, replaced: 0, removed: 1 },
      is_noop: false,
      changes: [
        {
          address: "Deployment shop/web",
          type: "apps/v1/Deployment",
          name: "web",
          action: "add",
          fields: [
            { path: "kind", after: "Deployment" },
            { path: "spec.replicas", after: 2 },
            { path: "spec.containers[web].name", after: "web" },
            { path: "spec.containers[web].image", after: "web:(secret)" },
          ],
        },
        {
          address: "ConfigMap shop/conf",
          type: "v1/ConfigMap",
          name: "conf",
          action: "change",
          fields: [
            { path: "data.a", before: "1", after: "2" },
            { path: "data.b", before: "gone" },
          ],
        },
        {
          address: "Secret shop/key",
          type: "v1/Secret",
          name: "key",
          action: "change",
          fields: [{ path: "data.word", is_sensitive: true }],
        },
        {
          address: "Job shop/old",
          type: "batch/v1/Job",
          name: "old",
          action: "remove",
          fields: [],
        },
        {
          address: "Namespace shop/shop",
          type: "v1/Namespace",
          name: "shop",
          action: "keep",
          reason: "delete_kinds does not name Namespace",
          fields: [],
        },
        {
          address: "Service shop/other",
          type: "v1/Service",
          name: "other",
          action: "conflict",
          reason: ".spec.ports is managed by kubectl",
          fields: [],
        },
      ],
      outputs: [],
      drifted: [],
      left_out: 0,
    });
  });

  test("is a no-op of an empty diff, but not of a release that is not well", () => {
    const still = {
      op: "apply",
      counts: { unchanged: 1 },
      content_diff: [entry("unchanged", ref("A", "b"))],
    };
    expect(viewOf("kubernetes-manifest-deploy", still).is_noop).toBe(true);
    expect(viewOf("kubernetes-manifest-deploy", { ...still, unremembered: 1 }).is_noop).toBe(false);
    const release = (status: string, op = "apply") =>
      viewOf("helm-chart-deploy", { ...still, op, release: { revision: 1, status } }).is_noop;
    expect([release("deployed"), release("failed"), release("")]).toEqual([true, false, false]);
    expect([release("", "teardown"), release("failed", "teardown")]).toEqual([true, false]);
    const simulated = { op: "install", plan: "simulated: no changes", content_diff: [] };
    expect(viewOf("helm-chart-deploy", simulated).is_noop).toBe(true);
  });

  test("tells the objects of another runner, whose Secrets it did not hide", () => {
    const foreign = {
      op: "upgrade",
      plan: "",
      content_diff: [
        {
          api: "v1",
          kind: "Secret",
          name: "key",
          namespace: "shop",
          before: "",
          after: { data: { word: "aHVudGVy" }, type: "Opaque" },
        },
        {
          api: "v1",
          kind: "ConfigMap",
          name: "c",
          namespace: "shop",
          entries: [{ path: "data.a", original: "1", applied: "2" }],
        },
        { api: "v1", kind: "Service", name: "s", namespace: "shop", entries: [] },
        17,
      ],
    };
    const view = viewOf("helm-chart-deploy", foreign);
    expect(view.summary).toEqual({ added: 1, changed: 1, replaced: 0, removed: 0 });
    expect(view.changes.map(({ address, action, fields }) => [address, action, fields])).toEqual([
      [
        "Secret shop/key",
        "add",
        [
          { path: "data.word", is_sensitive: true },
          { path: "type", after: "Opaque" },
        ],
      ],
      ["ConfigMap shop/c", "change", [{ path: "data.a", before: "1", after: "2" }]],
    ]);
  });

  test("believes the greater of counts and objects", () => {
    const lying = {
      counts: { delete: 7, create: -3 },
      content_diff: [entry("create", ref("A", "b"))],
    };
    expect(viewOf("kubernetes-manifest-deploy", lying)).toMatchObject({
      summary: { added: 1, removed: 7 },
      is_noop: false,
    });
  });
});
