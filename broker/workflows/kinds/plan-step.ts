import { membersOf } from "../../deploys/deploy-part.ts";
import { policiesOfDeploy } from "../../deploys/policies-of-deploy.ts";
import { sealShownPlan } from "../../jobs/shown-plans.ts";
import { askPolicies } from "../../policies/ask-policies.ts";
import { nothingChanges } from "../machine/check-plan.ts";
import type { ChangeCounts } from "../machine/deploy-rows.ts";
import {
  faultOf,
  type PlanToApprove,
  type StepKind,
  type StepOutcome,
} from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { Step, StepJob } from "../machine/workflow-rows.ts";
import { beginPlan } from "./begin-plan.ts";
import { deployOutcome } from "./deploy-outcome.ts";
import { keepDeploy, moveDeploy, type OfDeploy } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";
import { patienceMs } from "./put-off.ts";
import { waitsForJob } from "./waits-for-job.ts";
import { wouldText } from "./would-text.ts";

/** Plans a deploy, a teardown or a run of the sandbox by a job of the install's runner, and has what it found approved. */
export const planStep = (env: KindEnvironment): StepKind => ({
  readsOutputs: true,
  hasJob: true,
  patienceMs: () => patienceMs,
  begin: (draft, step) => beginPlan(env, draft, keepDeploy(env, draft, step)),
  look(draft, step) {
    const of = keepDeploy(env, draft, step);
    if (step.job_id === null) return beginPlan(env, draft, of);
    const job = draft.jobOf(step);
    if (job === undefined || waitsForJob(step, job)) return { kind: "wait" };
    const outcome = deployOutcome(job);
    return outcome.kind === "done" ? foundBy(env, draft, { ...of, job }) : outcome;
  },
  isHeld: () => true,
  whyStale(draft, step) {
    const { deploy, target } = keepDeploy(env, draft, step);
    if (deploy.revision !== null && deploy.revision !== target.revision)
      return "the state has changed since the plan was made; a new one is being made";
    return undefined;
  },
  asked: (draft, step) =>
    moveDeploy(draft, keepDeploy(env, draft, step), { status: "approval-awaiting" }),
  ended(draft, step) {
    if (draft.deployOf(step) !== undefined) endPlan(draft, keepDeploy(env, draft, step));
  },
});

type Found = OfDeploy & { readonly job: StepJob };

function foundBy(env: KindEnvironment, draft: WorkflowDraft, found: Found): StepOutcome {
  const { step, deploy, part, job } = found;
  const { isNoOp, counts, obstacle, digest, view } = env.planned({ id: job.id, owner: deploy });
  if (obstacle !== undefined)
    return {
      kind: "fault",
      fault: faultOf("plan_unusable", "The plan cannot be applied", obstacle, {
        runner_job_id: job.id,
      }),
    };
  Object.assign(deploy, { planned_at: draft.now, changes: counts });
  const configured = part.wanted ?? part.deployedPart;
  const members = configured === undefined ? {} : membersOf(configured.part);
  const skipsNoOps = members.skip_noops === true || env.facts.org.auto_skip_noops;
  const policies = isNoOp && skipsNoOps ? [] : policiesOfDeploy(env.facts.config, deploy);
  const owner = {
    type: deploy.component_id === null ? "install_sandbox_runs" : "install_deploys",
    id: deploy.id,
  } as const;
  const judged = askPolicies(draft, { step, owner, policies, jobId: job.id });
  const isReport = draft.workflow.plan_only; // they only report then
  if (judged.kind === "wait" || (judged.kind !== "done" && !isReport)) {
    deploy.status_description = step.status_description;
    return judged;
  }
  const isByPolicies = members.auto_approve_on_policies_passing === true;
  return {
    kind: "found",
    found: {
      plan: planToApprove(env, draft, { ...found, isNoOp, digest, view }),
      isNoOp,
      skipsNoOps,
      would: wouldText(counts, isDriftRun(step)),
      mustBeAsked: deploy.type === "recover",
      isApprovedByPolicies: isByPolicies && policies.length > 0 && judged.kind === "done",
      ...(isDriftRun(step) &&
        !isNoOp &&
        isNews(found.target, counts) && { drift: driftOf(counts) }),
    },
  };
}

const driftOf = ({ added, changed, replaced, removed }: ChangeCounts) => ({
  added,
  changed: changed + replaced,
  removed,
});

/** What was found at the last look already was told then. */
const isNews = ({ drift }: OfDeploy["target"], counts: ChangeCounts): boolean =>
  drift === null ||
  drift.added !== counts.added ||
  drift.changed !== counts.changed ||
  drift.replaced !== counts.replaced ||
  drift.removed !== counts.removed;

const isDriftRun = ({ params }: Step): boolean => params["is_drift"] === true;

type Approvable = Found & {
  readonly isNoOp: boolean;
  readonly digest: string;
  readonly view: string;
};

/** What is approved is what the job planned, which its result has: here is which job's, and by which digest. */
function planToApprove(
  env: KindEnvironment,
  draft: WorkflowDraft,
  { deploy, job, isNoOp, digest, view }: Approvable,
): PlanToApprove {
  const id = draft.newId("apv");
  const orgId = env.facts.org.id;
  const named = JSON.stringify({ runner_job_id: job.id, plan_digest: digest });
  const { keyId, bytes } = env.seals.seal({ orgId, id, part: "approval" }, Buffer.from(named));
  return {
    id,
    type: isNoOp ? "noop" : (approvalTypes[deploy.component_type] ?? "noop"),
    digest,
    contents: { keyId, base64: bytes.toString("base64") },
    shown: sealShownPlan(env.seals, { orgId, id }, view),
  };
}

const approvalTypes: Readonly<Record<string, string>> = {
  terraform: "terraform_plan",
  terraform_module: "terraform_plan",
  helm_chart: "helm_approval",
  kubernetes_manifest: "kubernetes_manifest_approval",
  job: "kubernetes_manifest_approval",
  pulumi: "pulumi_plan",
};

/** What the end of the step means for its deploy; what is approved goes on with the step after it. */
function endPlan(draft: WorkflowDraft, of: OfDeploy): void {
  const { step, deploy, part, target } = of;
  const description = step.status_description;
  const { status, error } = step;
  const isOfPlan = deploy.plan_only;
  if (status === "approved" && isOfPlan) {
    const isSame = description === nothingChanges;
    moveDeploy(draft, of, { status: isSame ? "no-drift" : "drifted", description });
    if (isDriftRun(step)) target.drift = isSame ? null : driftRow(draft, of);
  } else if (status === "approved") moveDeploy(draft, of, { status: "queued", description });
  else if (status === "auto-skipped" && isOfPlan)
    moveDeploy(draft, of, { status: "auto-skipped", description });
  else if (status === "auto-skipped") {
    const isGone = step.params["is_teardown"] === true;
    const stands = isGone ? null : deploy.id;
    Object.assign(deploy, {
      outputs_job_id: isGone ? null : (part.deployed?.outputs_job_id ?? null),
    });
    Object.assign(target, { deployed_id: stands, drift: null });
    if (isGone) target.touched_id = null;
    moveDeploy(draft, of, { status: "noop", description });
  } else if (status === "approval-denied") moveDeploy(draft, of, { status, description, error });
  else if (status === "approval-retry") moveDeploy(draft, of, { status: "discarded", description });
  else if (status === "cancelled") moveDeploy(draft, of, { status, description });
  else moveDeploy(draft, of, { status: "error", description, error });
}

function driftRow({ now, workflow }: WorkflowDraft, { deploy }: OfDeploy) {
  const { added = 0, changed = 0, replaced = 0, removed = 0 } = deploy.changes;
  const counts = { added, changed, replaced, removed };
  return { ...counts, workflow_id: workflow.id, deploy_id: deploy.id, at: now };
}
