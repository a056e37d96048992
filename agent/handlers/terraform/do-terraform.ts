import { askApproval } from "../../approval/ask-approval.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { afterApply } from "./after-apply.ts";
import { applyPlan } from "./apply-plan.ts";
import { applyResult } from "./apply-result.ts";
import { checkApproved } from "./check-approved.ts";
import { checkInitialized, checkPlanBackend } from "./check-backend.ts";
import { checkPolicies } from "./check-policies.ts";
import { initialize } from "./init.ts";
import { makePlan, type MadePlan, showPlan } from "./make-plan.ts";
import { openTerraformContext } from "./open-terraform-context.ts";
import { planResult } from "./plan-result.ts";
import { renderDiff } from "./render-diff.ts";
import { runHook } from "./run-hook.ts";
import type { TerraformContext } from "./terraform-context.ts";
import type { TerraformRun } from "./terraform-run.ts";

/** Runs a terraform job, or resumes it. Throws JobFailure. */
export async function doTerraform(job: Job, run: TerraformRun): Promise<JobResult> {
  const context = await openTerraformContext(job, run);
  await checkApproved(context);
  await initialize(context);
  await checkInitialized(context);
  if (run.action === "plan") return await planResult(context, await plan(context));
  if (run.action === "apply") return await apply(context);
  const made = await plan(context);
  const planned = await planResult(context, made);
  if (!made.changes.hasChanges && made.changes.drift.length === 0) return planned;
  return await apply(context, made);
}

async function plan(context: TerraformContext): Promise<MadePlan> {
  await runHook(context, "pre_plan");
  const made = await makePlan(context);
  await checkPolicies(context, made.shown);
  await runHook(context, "post_plan");
  return made;
}

async function apply(context: TerraformContext, made?: MadePlan): Promise<JobResult> {
  await checkPlanBackend(context);
  const { job } = context;
  // The output of an apply can only be shown once it is known what in its plan is sensitive.
  const known = made ?? (await showPlan(context));
  if (made === undefined) await checkPolicies(context, known.shown);
  await askApproval(job, renderDiff(known.changes, false));
  const what = context.run.isDestroy || known.changes.isTeardown ? "destroy" : "apply";
  await runHook(context, `pre_${what}`);
  const ran = await applyPlan(context);
  const result = await afterApply(context, ran, {}, async () => await applyResult(context, ran));
  const { outputs = {} } = result;
  await afterApply(context, ran, outputs, async () => await runHook(context, `post_${what}`));
  return result;
}
