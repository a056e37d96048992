import { askConsent } from "../../consent/ask-consent.ts";
import type { Job, Produced } from "../../jobs/handler.ts";
import { afterApply } from "./after-apply.ts";
import { applyPlan } from "./apply-plan.ts";
import { applyResult } from "./apply-result.ts";
import { checkApproved } from "./check-approved.ts";
import { checkInitialized, checkPlanBackend } from "./check-backend.ts";
import { runHook } from "./hooks.ts";
import { initialize } from "./init.ts";
import { makePlan, type MadePlan, showPlan } from "./make-plan.ts";
import { planResult } from "./plan-result.ts";
import { checkPolicies } from "./policies.ts";
import { renderDiff } from "./render-diff.ts";
import { openLocalContext, type TerraformGround } from "./terraform-ground.ts";
import type { TerraformRun } from "./terraform-run.ts";

/** Does a terraform job, or goes on with it. Throws JobFailure. */
export async function doTerraform(job: Job, run: TerraformRun): Promise<Produced> {
  const ground = await openLocalContext(job, run);
  await checkApproved(ground);
  await initialize(ground);
  await checkInitialized(ground);
  if (run.action === "plan") return await planResult(ground, await plan(ground));
  if (run.action === "apply") return await apply(ground);
  const made = await plan(ground);
  const planned = await planResult(ground, made);
  if (!made.changes.hasChanges && made.changes.drift.length === 0) return planned;
  return await apply(ground, made);
}

async function plan(ground: TerraformGround): Promise<MadePlan> {
  await runHook(ground, "pre_plan");
  const made = await makePlan(ground);
  await checkPolicies(ground, made.shown);
  await runHook(ground, "post_plan");
  return made;
}

async function apply(ground: TerraformGround, made?: MadePlan): Promise<Produced> {
  await checkPlanBackend(ground);
  const { job } = ground;
  // Before it is known what in a plan is sensitive, nothing that its apply prints can be shown.
  const known = made ?? (await showPlan(ground));
  if (made === undefined) await checkPolicies(ground, known.shown);
  await askConsent(job, renderDiff(known.changes, false));
  const what = ground.run.isDestroy || known.changes.isTeardown ? "destroy" : "apply";
  await runHook(ground, `pre_${what}`);
  const ran = await applyPlan(ground);
  const produced = await afterApply(ground, ran, {}, async () => await applyResult(ground, ran));
  const { outputs = {} } = produced;
  await afterApply(ground, ran, outputs, async () => await runHook(ground, `post_${what}`));
  return produced;
}
