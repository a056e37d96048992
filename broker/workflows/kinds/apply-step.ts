import { draftDeployJob } from "../../deploys/draft-deploy-job.ts";
import { faultOf, type StepKind, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault, Step } from "../machine/workflow-rows.ts";
import { deployOutcome } from "./deploy-outcome.ts";
import { keepDeploy, moveDeploy, type OfDeploy } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";
import { patienceMs, waitForOthers } from "./put-off.ts";
import { waitsForJob } from "./waits-for-job.ts";

/** Carries out exactly what the step before it planned, and somebody approved. */
export const applyStep = (env: KindEnvironment): StepKind => ({
  hasJob: true,
  patienceMs: () => patienceMs,
  begin: (draft, step) => beginApply(env, draft, keepDeploy(env, draft, step)),
  look(draft, step) {
    if (step.job_id === null) return beginApply(env, draft, keepDeploy(env, draft, step));
    const job = draft.jobOf(step);
    if (job === undefined || waitsForJob(step, job)) return { kind: "wait" };
    return deployOutcome(job);
  },
  ended(draft, step) {
    if (draft.deployOf(step) !== undefined) endApply(draft, keepDeploy(env, draft, step));
  },
});

function beginApply(env: KindEnvironment, draft: WorkflowDraft, of: OfDeploy): StepOutcome {
  const { step, deploy, target } = of;
  const { plan_job_id: planJobId } = deploy;
  const digest = approvedDigest(draft, step);
  if (digest === undefined || planJobId === null) return { kind: "fault", fault: notApproved };
  if (target.is_busy) {
    step.status_description = waitForOthers.description;
    return { kind: "wait", orElse: nobodyEnded };
  }
  const planned = { id: planJobId, owner: deploy };
  if (env.planned(planned).digest !== digest) return { kind: "fault", fault: anotherPlan };
  if (deploy.revision !== target.revision) return { kind: "fault", fault: movedOn };
  const applied = env.applyPlan(planned);
  if ("code" in applied) return { kind: "fault", fault: applied };
  const job = draftDeployJob(env, draft, { step, deploy, ...applied, operation: "apply-plan" });
  deploy.apply_job_id = job.id;
  if (step.params["is_teardown"] !== true) target.touched_id = deploy.id;
  moveDeploy(draft, of, { status: "applying" });
  step.deadline_at = null;
  step.status_description = "";
  return { kind: "job", job };
}

/** By which digest the plan of this deploy was approved; undefined where it was not. */
function approvedDigest(
  { steps, approvals }: WorkflowDraft,
  { id, target_id: of }: Step,
): string | undefined {
  const planned = steps.findLast(
    (one) => one.id !== id && one.target_id === of && one.status === "approved",
  );
  return approvals.find(({ step_id: step }) => step === planned?.id)?.plan_digest;
}

const notApproved = faultOf(
  "internal",
  "It was not approved",
  "No one has approved this plan. Retry: a new one is made.",
);
const anotherPlan = faultOf(
  "plan_changed",
  "It is not what was approved",
  "What the planning job has is not what was approved. Retry: a new plan is made.",
);
const movedOn = faultOf(
  "plan_changed",
  "The state has changed since it was planned",
  "Somebody changed the state after the plan was made. Retry: a new plan is made.",
);
const nobodyEnded: CompositeFault = faultOf(
  "job_timed_out",
  "It waited for a day",
  "Another workflow has worked on it for a day. Look at that, then retry.",
);

/** What the end of the step means for its deploy, and for what is deployed. */
function endApply(draft: WorkflowDraft, of: OfDeploy): void {
  const { step, deploy, target } = of;
  const { status, status_description: description, error } = step;
  if (status !== "success") {
    const isCancelled = status === "cancelled";
    if (step.job_id === null) {
      // The runner took no job: nothing was touched.
      const before = draft.snapshot.targets.find(({ id }) => id === target.id);
      target.touched_id = before?.touched_id ?? null;
      deploy.apply_job_id = null;
    }
    moveDeploy(draft, of, { status: isCancelled ? "cancelled" : "error", description, error });
    return;
  }
  const isGone = step.params["is_teardown"] === true;
  Object.assign(deploy, {
    applied_at: draft.now,
    outputs_job_id: isGone ? null : deploy.apply_job_id,
  });
  Object.assign(target, { deployed_id: isGone ? null : deploy.id, drift: null });
  if (isGone) target.touched_id = null;
  moveDeploy(draft, of, { status: isGone ? "inactive" : "active" });
}
