import { expect, test } from "vitest";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planViewOf } from "./plan-view-of.ts";
import type { PlanView } from "./plan-view.ts";
import { taintedTexts } from "./tainted-texts.ts";

const viewOf = (type: RunnerJobType, shown: unknown): PlanView =>
  planViewOf({ type, shown, summary: undefined, text: "", secrets: [] });

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
