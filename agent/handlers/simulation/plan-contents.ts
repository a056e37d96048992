import { gzipSync } from "node:zlib";
import type { JobInfo, JobResult } from "../../jobs/handler.ts";

export type Given = {
  readonly plan_contents?: unknown;
  readonly plan_display_contents?: unknown;
};

/**
 * The result of a simulated plan job, in the formats of real ones: for terraform the plan file as it is and its JSON
 * compressed, for helm, manifests and Jobs both as compressed JSON. Contents given in the plan replace these.
 */
export function simulatedContents(
  { type, operation }: JobInfo,
  given: Given,
): JobResult["result"] | undefined {
  if (!operation.startsWith("create-")) return undefined;
  const isTeardown = operation === "create-teardown-plan";
  const shown = given.plan_display_contents ?? displayOf(type, isTeardown);
  if (/terraform/.test(type)) {
    return {
      contents_compressed: bytesOf(given.plan_contents ?? emptyZip).toString("base64"),
      contents_display_compressed: gzipped(shown),
    };
  }
  if (!/helm|kubernetes-manifest|pulumi|job-deploy/.test(type)) return undefined;
  return {
    contents_compressed: gzipped(given.plan_contents ?? displayOf(type, isTeardown)),
    contents_display_compressed: gzipped(shown),
  };
}

/** A plan file of terraform is a zip archive; this is an empty one. */
const emptyZip = Buffer.concat([Buffer.from("PK\u0005\u0006", "latin1"), Buffer.alloc(18)]);

function displayOf(type: string, isTeardown: boolean): object {
  if (/terraform/.test(type)) {
    return {
      format_version: "1.2",
      terraform_version: "1.11.4",
      variables: {},
      planned_values: { root_module: {} },
      resource_changes: [],
      output_changes: {},
      applyable: true,
      complete: true,
      errored: false,
    };
  }
  return {
    op: isTeardown ? "uninstall" : "install",
    plan: "simulated: no changes",
    content_diff: [],
  };
}

const gzipped = (contents: unknown): string => gzipSync(bytesOf(contents)).toString("base64");

function bytesOf(contents: unknown): Buffer {
  if (Buffer.isBuffer(contents)) return contents;
  return Buffer.from(typeof contents === "string" ? contents : JSON.stringify(contents));
}
