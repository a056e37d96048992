import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { JobResult } from "../../jobs/handler.ts";
import type { MadePlan } from "./make-plan.ts";
import { readBytes } from "./read-json-file.ts";
import { closing, renderDiff } from "./render-diff.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";
import { zipEntry } from "./zip-entry.ts";

/** The broker accepts results of 64 MiB, and base64 is a third longer. */
const mostPlanBytes = 40 * 2 ** 20;

const mostUnpackedBytes = 256 * 2 ** 20;

export type PlanDigests = { readonly plan_sha256: string; readonly lock_sha256: string | null };

/** The result of a plan job: the plan file, its JSON, and what people and programs need to approve it. */
export async function planResult(context: TerraformContext, plan: MadePlan): Promise<JobResult> {
  const { job, run, files } = context;
  const { changes, shown } = plan;
  const what = { what: "The plan file", mostBytes: mostPlanBytes };
  const bytes = await readBytes(files.plan, job.directories.owner, what);
  refuseEncrypted(bytes);
  const display = gzipSync(shown);
  if (bytes.length + display.length > mostPlanBytes) {
    const detail =
      "The plan file and its JSON are too large for one result: the limit is 40 MiB together.";
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
 * Throws JobFailure when the plan file is not an archive: OpenTofu was configured to encrypt it. Its backend could not
 * be checked before its apply, so nobody should be asked to approve it.
 */
function refuseEncrypted(plan: Buffer): void {
  if (zipEntry(plan, "tfplan", mostUnpackedBytes) !== undefined) return;
  const detail =
    "The plan file is encrypted (encryption.plan, TF_ENCRYPTION): before an apply the agent must read which state it is for. Configure OpenTofu to encrypt only the state; the broker keeps plans sealed.";
  throw terraformFailure(detail, { class: "config_invalid", detail });
}

/** The digests by which an apply recognizes the plan that was approved. */
export function digestsOf(plan: Buffer): PlanDigests {
  const lock = zipEntry(plan, ".terraform.lock.hcl");
  return { plan_sha256: sha256(plan), lock_sha256: lock === undefined ? null : sha256(lock) };
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
