import { askApproval } from "../../approval/ask-approval.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { checkPulumiPlan } from "./check-pulumi-plan.ts";
import { holdWorkspace, releaseWorkspace } from "./hold-workspace.ts";
import { makePreview, type Preview } from "./make-preview.ts";
import { openPulumiContext } from "./open-pulumi-context.ts";
import { plannedSteps, type PlanEnvelope } from "./plan-envelope.ts";
import { previewResult } from "./preview-result.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";
import { updateStack } from "./update-stack.ts";

/** Runs a job of Pulumi, or resumes it. Throws JobFailure. */
export async function doPulumi(job: Job, run: PulumiRun): Promise<JobResult> {
  if (run.action === "plan") {
    const context = await openPulumiContext(job, run);
    return previewResult(context, await makePreview(context));
  }
  // Before the state is read: until the job has ended nobody else writes it.
  await holdWorkspace(job, run);
  try {
    const context = await openPulumiContext(job, run);
    return run.action === "apply" ? await apply(context) : await planAndApply(context);
  } finally {
    await releaseWorkspace(job, run);
  }
}

async function apply(context: PulumiContext): Promise<JobResult> {
  const envelope = await checkPulumiPlan(context);
  const isDestroy = envelope.destroy;
  const hasSavedPlan = envelope.saved_plan !== null;
  await askApproval(context.job, envelope.display);
  if (!hasSavedPlan) {
    const preview = await makePreview(context, { isDestroy, savesPlan: false });
    requireSameSteps(preview, envelope.steps);
  }
  return await updateStack(context, { isDestroy, hasSavedPlan });
}

async function planAndApply(context: PulumiContext): Promise<JobResult> {
  const preview = await makePreview(context);
  if (!preview.hasChanges) return previewResult(context, preview);
  await askApproval(context.job, preview.display);
  const { isDestroy } = context.run;
  const hasSavedPlan = preview.savedPlan !== null;
  if (!hasSavedPlan) {
    const again = { isDestroy, savesPlan: false, key: "preview-again" } as const;
    requireSameSteps(await makePreview(context, again), plannedSteps(preview.events.steps));
  }
  return await updateStack(context, { isDestroy, hasSavedPlan });
}

/** Where no saved plan holds an update to what was approved, its steps do. */
function requireSameSteps(preview: Preview, steps: PlanEnvelope["steps"]): void {
  const now = plannedSteps(preview.events.steps);
  if (JSON.stringify(now) === JSON.stringify(steps)) return;
  const known = new Map(steps.map((step) => [`${step.op} ${step.urn}`, step.inputs]));
  const other = now.find(({ op, urn, inputs }) => known.get(`${op} ${urn}`) !== inputs);
  const first =
    other === undefined
      ? "A step that was approved is not needed any more."
      : `It would ${other.op} ${other.urn} in another way than was approved.`;
  throw pulumiFailure(
    `This is not the plan that was approved. ${first} Nothing was changed; make a new plan.`,
    { class: "plan_changed" },
  );
}
