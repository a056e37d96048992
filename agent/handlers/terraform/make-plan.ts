import { redactedJson } from "../../jobs/redacted-json.ts";
import { applyCommand } from "./apply-plan.ts";
import { freePlanLock } from "./free-plan-lock.ts";
import { hideAll } from "./hide-all.ts";
import { hideSensitive } from "./hide-sensitive.ts";
import { type PlanChanges, planChanges } from "./plan-changes.ts";
import { readJsonFile } from "./read-json-file.ts";
import { isWell, runTerraform, type TerraformCommand } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { failureOfRun } from "./terraform-failure.ts";

/** A plan in the plan file, and its changes without anything sensitive. */
export type MadePlan = {
  readonly changes: PlanChanges;
  /** The output of `terraform show -json`. */
  readonly shown: string;
};

/** Writes a plan to the plan file. Throws JobFailure. */
export async function makePlan(context: TerraformContext): Promise<MadePlan> {
  const ran = await runTerraform(context, { ...planCommand(context), next: showCommand(context) });
  if (!isWell(ran, [0, 2])) {
    const failure = await failureOfRun(context, "plan", ran); // names the holder of the lock
    await freePlanLock(context, ran);
    throw failure;
  }
  return await showPlan(context);
}

/** The command that makes the plan. */
export function planCommand({ run, files }: TerraformContext): TerraformCommand {
  const lock = run.isRefreshOnly
    ? ["-lock=false"]
    : [`-lock-timeout=${Math.round(run.lockTimeoutMs / 1000)}s`];
  return {
    key: "plan",
    step: "plan",
    args: [
      "plan",
      "-input=false",
      "-json",
      "-detailed-exitcode",
      `-out=${files.plan}`,
      ...lock,
      ...(run.isDestroy ? ["-destroy"] : []),
      ...(run.isRefreshOnly ? ["-refresh-only"] : []),
      ...files.varFiles.map((file) => `-var-file=${file}`),
      ...run.targets.map((address) => `-target=${address}`),
      ...run.replace.map((address) => `-replace=${address}`),
    ],
    output: "stream",
    isRepeatable: true,
  };
}

/** The command that shows the contents of the plan file. */
export function showCommand({ files }: TerraformContext): TerraformCommand {
  const args = ["show", "-json", files.plan];
  const output = { file: files.planJson };
  return { key: "show", step: "show", args, output, isRepeatable: true };
}

/**
 * Reads the changes of the plan in the plan file; from now on its sensitive values are redacted everywhere. Throws
 * JobFailure.
 */
export async function showPlan(context: TerraformContext): Promise<MadePlan> {
  const { job, run, files } = context;
  const ran = await runTerraform(context, {
    ...showCommand(context),
    ...(run.action !== "plan" && { next: applyCommand(context) }),
  });
  if (!isWell(ran)) throw await failureOfRun(context, "show", ran);
  const plan = await readJsonFile(files.planJson, job.directories.owner, "The plan as JSON");
  hideAll(job, hideSensitive(plan));
  const shown = redactedJson(job, plan);
  return { changes: planChanges(JSON.parse(shown)), shown }; // secrets without a mark are redacted too
}
