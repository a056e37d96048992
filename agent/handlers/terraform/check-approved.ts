import { existsSync } from "node:fs";
import { writeJobFile } from "../../job-users/job-files.ts";
import { digestsOf } from "./plan-result.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";
import { zipEntry } from "./zip-entry.ts";

/**
 * Throws JobFailure, class plan_changed, unless the plan to apply is byte for byte the approved one and its source,
 * whose scripts and archives are read again by an apply, is at the same revision. A source without a lock file gets
 * the plan's, so that the same providers apply it that planned it.
 */
export async function checkApproved({
  job,
  run,
  files,
  revision,
}: TerraformContext): Promise<void> {
  const { planFile, approved } = run;
  if (planFile === undefined) return;
  if (Object.values(approved).every((one) => one === undefined)) {
    const words =
      "The job does not say which plan was approved (approved), so nothing was compared.";
    job.log(words, "warn", "", "nothing approved");
  }
  const { plan_sha256, lock_sha256 } = digestsOf(planFile);
  if (approved.plan !== undefined && approved.plan !== plan_sha256) {
    throw changed(`The plan has the SHA-256 ${plan_sha256}; approved was ${approved.plan}.`);
  }
  const lock = zipEntry(planFile, ".terraform.lock.hcl");
  if (approved.lock !== undefined && approved.lock !== lock_sha256) {
    const has =
      lock_sha256 === null
        ? "contains no lock file"
        : `has a lock file with the SHA-256 ${lock_sha256}`;
    throw changed(`The plan ${has}; approved was ${approved.lock}.`);
  }
  if (approved.revision !== undefined && approved.revision !== revision) {
    const has = revision === "" ? "at an unknown revision" : `at ${revision}`;
    throw changed(`The source is ${has}; approved was ${approved.revision}.`);
  }
  if (lock === undefined) throw changed("apply_plan_contents is not a plan file of terraform.");
  await job.once("terraform/plan-lock", async () => {
    if (!existsSync(files.lock)) await writeJobFile(files.lock, lock, job.directories.owner);
  });
}

function changed(detail: string): Error {
  const words = `This is not the plan that was approved. ${detail} Nothing was changed; make a new plan.`;
  return terraformFailure(words, { class: "plan_changed", detail });
}
