import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Job } from "../jobs/handler.ts";
import { diffContents } from "./diff-contents.ts";

const ref = (kind: string) => ({ apiVersion: "v1", kind, namespace: "shop", name: "a" });
const object = (kind: string, data: object) => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "a", uid: "u" },
  data,
});
const key = "0".repeat(64);
// of a job it reads nothing else
const job = {
  redact: (text: string) => text.replaceAll(/of-job|48151623/g, "***"),
} as unknown as Job;
const unpacked = (base64: string | undefined): unknown =>
  JSON.parse(gunzipSync(Buffer.from(base64 ?? "", "base64")).toString());

test("what is shown has the objects that change, without secrets; what is applied has them not", () => {
  const common = { conflicts: [], words: "" };
  const update = (kind: string, before: object, after: object) => ({
    ...common,
    action: "update" as const,
    ref: ref(kind),
    changes: [{ path: "data.k", before: "x", after: "y" }],
    whole: { before: object(kind, before), after: object(kind, after) },
  });
  const changes = [
    update("ConfigMap", { k: "1", s: "of-job" }, { k: "2", pin: 48_151_623 }),
    update("Secret", { k: "b2xk" }, { k: "bmV3" }),
    {
      ...common,
      action: "delete" as const,
      ref: ref("Pod"),
      changes: [],
      whole: { before: object("Pod", {}) },
    },
  ];
  const made = diffContents(job, { op: "apply", key, changes }, {});
  const shown = unpacked(made.contents_display_compressed ?? undefined);
  const named = (kind: string) => ({ apiVersion: "v1", kind, metadata: { name: "a" } });
  expect(shown).toMatchObject({
    content_diff: [
      {
        object: { ...named("ConfigMap"), data: { k: "2", pin: "***" } },
        old_object: { ...named("ConfigMap"), data: { k: "1", s: "***" } },
      },
      { object: { data: { k: "(secret)" } }, old_object: { data: { k: "(secret)" } } },
      { old_object: named("Pod") },
    ],
  });
  expect(JSON.stringify(shown)).not.toMatch(/whole|"uid"/);
  expect(JSON.stringify(unpacked(made.contents_compressed ?? undefined))).not.toMatch(
    /whole|old_object/,
  );
});
