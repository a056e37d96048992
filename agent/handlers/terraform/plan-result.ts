import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { JobResult } from "../../jobs/handler.ts";
import type { MadePlan } from "./make-plan.ts";
import { readBytes } from "./read-json-file.ts";
import { closing, renderDiff } from "./render-diff.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";
import { zipEntry } from "./zip-entry.ts";

/** The broker takes results of 64 MiB, and base64 is a third longer. */
const mostPlanBytes = 40 * 2 ** 20;

const mostUnpackedBytes = 256 * 2 ** 20;

export type PlanDigests = { readonly plan_sha256: string; readonly lock_sha256: string | null };

/** What a plan job brings: the plan file, what it says, and what people and programs need to approve it. */
export async function planResult(context: TerraformContext, plan: MadePlan): Promise<JobResult> {
  const { job, run, files } = context;
  const { changes, shown } = plan;
  const what = { what: "The plan file", mostBytes: mostPlanBytes };
  const bytes = await readBytes(files.plan, job.directories.owner, what);
  refuseEncrypted(bytes);
  const display = gzipSync(shown);
  if (bytes.length + display.length > mostPlanBytes) {
    const detail =
      "The plan file and its JSON are too large for a result together: 40 MiB are the most.";
    throw terraformFailure(detail, { class: "too_large", detail });
  }
  const diff = renderDiff(changes, run.isRefreshOnly);
  job.log(diff, "info", "diff", "diff");
  const summary = {
    tool: run.tool,
    terraform_version: changes.terraformVersion,
    has_changes: changes.hasChanges,
    has_drift: changes.drift.length > 0,
    ...changes.counts,
    ...digestsOf(bytes),
    source_revision: context.revision || null,
  };
  return {
    description: closing(changes, run.isRefreshOnly),
    result: {
      contents: JSON.stringify(summary),
      contents_display: diff,
      contents_compressed: bytes.toString("base64"),
      contents_display_compressed: display.toString("base64"),
    },
  };
}

/**
 * Throws JobFailure where the plan file is no archive: OpenTofu was told to encrypt it. What it names could not be compared
 * before its apply, so nobody should come to approve it.
 */
function refuseEncrypted(plan: Buffer): void {
  if (zipEntry(plan, "tfplan", mostUnpackedBytes) !== undefined) return;
  const detail =
    "The plan file is encrypted (encryption.plan, TF_ENCRYPTION): before an apply the agent has to see which state it is for. Let OpenTofu encrypt the state alone; the broker keeps plans sealed.";
  throw terraformFailure(detail, { class: "config_invalid", detail });
}

/** By these the plan that is applied is known to be the one that was approved. */
export function digestsOf(plan: Buffer): PlanDigests {
  const lock = zipEntry(plan, ".terraform.lock.hcl");
  return { plan_sha256: sha256(plan), lock_sha256: lock === undefined ? null : sha256(lock) };
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
