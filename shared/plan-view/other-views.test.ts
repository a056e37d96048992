import { describe, expect, test } from "vitest";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planViewOf } from "./plan-view-of.ts";
import type { PlanView } from "./plan-view.ts";
import { taintedTexts } from "./tainted-texts.ts";

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

test("the view of a job has the Job, and always something to do", () => {
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "migrate-x", namespace: "shop" },
    spec: { template: { spec: { containers: [{ name: "job", image: "app:1" }] } } },
  };
  const shown = {
    op: "apply",
    counts: { create: 1 },
    plan: JSON.stringify(job, null, 2),
    content_diff: [],
  };
  expect(viewOf("job-deploy", shown)).toMatchObject({
    tool: "job",
    summary: { added: 1, changed: 0, replaced: 0, removed: 0 },
    is_noop: false,
    changes: [{ address: "Job shop/migrate-x", action: "add", reason: "runs app:1" }],
  });
  const teardown = {
    op: "teardown",
    counts: { delete: 2 },
    plan: "- Job shop/a (delete)\n- Job shop/b (delete)",
  };
  expect(viewOf("job-deploy", teardown).changes.map(({ address }) => address)).toEqual([
    "Job shop/a",
    "Job shop/b",
  ]);
  expect(viewOf("job-deploy", { op: "apply", plan: "" }).is_noop).toBe(false);
});

test("the view of pulumi tells a replacement once, and neither secrets nor what is unknown", () => {
  const urn = (name: string) => `urn:pulumi:dev::shop::aws:s3/bucket:Bucket::${name}`;
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const secret = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: '"hunter22"',
  };
  const shown = {
    tool: "pulumi",
    counts: { add: 1, change: 0, destroy: 0, replace: 1, same: 1 },
    steps: [
      { op: "same", urn: urn("same"), before: {}, after: {} },
      {
        op: "create",
        urn: urn("new"),
        type: "aws:s3/bucket:Bucket",
        after: { id: unknown, pw: secret, w: "hunter22" },
      },
      { op: "create-replacement", urn: urn("old"), after: { a: 2 } },
      {
        op: "replace",
        urn: urn("old"),
        before: { a: 1, pw: "(sensitive value)" },
        after: { a: 2, pw: "(sensitive value)" },
      },
      { op: "delete-replaced", urn: urn("old"), before: { a: 1 } },
    ],
  };
  const view = viewOf("pulumi-deploy", shown);
  expect(view).toMatchObject({
    tool: "pulumi",
    summary: { added: 1, changed: 0, replaced: 1, removed: 0 },
    is_noop: false,
  });
  expect(view.changes.map(({ address, action, fields }) => [address, action, fields])).toEqual([
    [
      "aws:s3/bucket:Bucket new",
      "add",
      [
        { path: "id", is_unknown: true },
        { path: "pw", is_sensitive: true },
        { path: "w", is_sensitive: true },
      ],
    ],
    [
      "aws:s3/bucket:Bucket old",
      "replace",
      [
        { path: "a", before: 1, after: 2 },
        { path: "pw", is_sensitive: true },
      ],
    ],
  ]);
  expect(viewOf("sandbox-pulumi", { steps: [{ op: "same", urn: urn("a") }] }).is_noop).toBe(true);
});

test("texts that a plan's twin hides are known, also within others", () => {
  const plan = {
    vars: { url: "pg://u:word-1@h/word-2?x", list: [1234, "open"], whole: { a: "word-3" } },
    secrets: { k: "word-4" },
    values: "a: b\npw: word-5\n",
  };
  const twin = {
    vars: { url: "pg://u:(secret)@h/(secret)?x", list: ["(secret)", "open"], whole: "(secret)" },
    secrets: { k: "shown by mistake" },
    values: "a: b\npw: (secret)\n",
  };
  expect(taintedTexts(plan, twin).sort()).toEqual([
    "1234",
    "word-1",
    "word-2",
    "word-3",
    "word-4",
    "word-5",
  ]);
  expect(taintedTexts(plan, undefined)).toEqual(["word-4"]);
  expect(taintedTexts({ a: "other" }, { a: "x(secret)" })).toEqual(["other"]);
});
