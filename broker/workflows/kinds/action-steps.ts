import { checksumOf } from "../../../shared/app-config/canonical-json.ts";
import { isFinal } from "../../../shared/runner-job.ts";
import {
  actionTimeoutNs,
  mostPlanBytes,
  planTooLong,
  type PlanTexts,
} from "../../actions/action-plan.ts";
import { stateBase } from "../../installs/state-base.ts";
import { isLonger } from "../../is-longer.ts";
import { sealShownPlan } from "../../jobs/shown-plans.ts";
import { draftStepJob } from "../draft-step-job.ts";
import { faultOf, type StepKind } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { ActionRunRow, CompositeFault, Step } from "../machine/workflow-rows.ts";
import { jobOutcome } from "./job-outcome.ts";
import type { ApprovedPlan, KindEnvironment } from "./kind-environment.ts";
import { roleFault } from "./role-fault.ts";

/** Asks somebody to approve what the action's run is about to do, byte for byte. */
export const approveStep = (env: KindEnvironment): StepKind => ({
  readsOutputs: true,
  begin(draft, step) {
    keepRun(env, draft, step);
    const noRole = roleFault(draft);
    if (noRole !== undefined) return { kind: "fault", fault: noRole };
    const planned = planOf(env, draft, step);
    if (!("text" in planned)) return { kind: "fault", fault: planned };
    const id = draft.newId("apv");
    const { keyId, bytes } = env.seals.seal(
      { orgId: env.facts.org.id, id, part: "approval" },
      Buffer.from(planned.text),
    );
    const contents = { keyId, base64: bytes.toString("base64") };
    const digest = checksumOf(planned.text);
    const shown = sealShownPlan(env.seals, { orgId: env.facts.org.id, id }, planned.shown);
    return { kind: "plan", plan: { id, type: "noop", digest, contents, shown } };
  },
  look: () => ({ kind: "wait" }),
  ended(draft, step) {
    if (step.status === "approved") return;
    const status = step.status === "failed-pending-retry" ? "error" : "cancelled";
    endRun(env, draft, { step, status });
  },
});

/** Runs an action by a job of the install's runner. */
export const actionStep = (env: KindEnvironment): StepKind => ({
  hasJob: true,
  readsOutputs: true,
  begin(draft, step) {
    const run = keepRun(env, draft, step);
    const noRole = roleFault(draft);
    if (noRole !== undefined) return { kind: "fault", fault: noRole };
    if (step.params["retries_group"] === true && !isApproved(draft, step))
      return { kind: "fault", fault: faultOf("internal", "It was not approved", notApproved) };
    const planned = approvedPlanOf(env, draft, step) ?? planOf(env, draft, step);
    if (!("text" in planned)) return { kind: "fault", fault: planned };
    const { job, tokenDigest } = draftStepJob(env, draft, { step, run, plan: planned });
    run.runner_job_id = job.id;
    run.token_digest = tokenDigest;
    return { kind: "job", job };
  },
  look(draft, step) {
    const job = draft.jobOf(step);
    if (job === undefined || !isFinal(job.status) || job.is_stopping) return { kind: "wait" };
    return jobOutcome(job);
  },
  ended(draft, step, isTimeout) {
    const status = endOf(step, isTimeout);
    endRun(env, draft, { step, status });
  },
});

const notApproved = "No one has approved this run. Start another one.";

/** Whether the step that asks for an approval of this run got it. */
const isApproved = ({ steps }: WorkflowDraft, { target_id: run }: Step): boolean =>
  steps.some(
    ({ kind, target_id, status }) =>
      kind === "approve" && target_id === run && status === "approved",
  );

/** The plan of this run that somebody approved, as it was stored then. */
function approvedPlanOf(
  { approvedPlan }: KindEnvironment,
  { snapshot: { steps, approvals } }: WorkflowDraft,
  { target_id: run }: Step,
): ApprovedPlan | undefined {
  const step = steps.findLast(({ status, target_id: of }) => status === "approved" && of === run);
  const approval = approvals.find(({ step_id: of }) => of === step?.id);
  return approval && approvedPlan(approval.id);
}

/** The run's row: it was made with the workflow, or is made by the first step that is about it. */
function keepRun({ facts }: KindEnvironment, draft: WorkflowDraft, step: Step): ActionRunRow {
  const found = draft.actionRunOf(step);
  const run = found ?? newRun(facts, draft, step);
  if (found === undefined) draft.actionRuns.push(run);
  run.workflow_step_id = step.id;
  run.started_at ??= draft.now;
  return run;
}

function newRun(facts: KindEnvironment["facts"], draft: WorkflowDraft, step: Step): ActionRunRow {
  const { action, action_id, action_config_id, trigger } = step.params;
  const config = facts.config.actions?.find(({ name }) => name === action);
  return {
    id: step.target_id,
    install_id: facts.install.id,
    action_id: String(action_id),
    action_config_id: String(action_config_id),
    name: String(action),
    workflow_step_id: step.id,
    runner_job_id: null,
    trigger_type: String(trigger),
    triggered_by_id: draft.workflow.id,
    status: "queued",
    status_description: "",
    status_at: draft.now,
    role: config?.role ?? "",
    timeout: config === undefined ? 0 : actionTimeoutNs(config),
    composite_error: null,
    created_at: draft.now,
    started_at: null,
    finished_at: null,
    created_by_id: draft.workflow.created_by_id,
    token_digest: null,
  };
}

function planOf(
  env: KindEnvironment,
  draft: WorkflowDraft,
  step: Step,
): PlanTexts | CompositeFault {
  const { facts, given, publicUrl: apiUrl, rendered } = env;
  const { action: name, trigger, action_config_id: configId } = step.params;
  const action = given.adhoc ?? facts.config.actions?.find((one) => one.name === name);
  if (action === undefined)
    return faultOf("internal", "The action is gone", `The config has no action ${String(name)}.`);
  if (isLonger(action, mostPlanBytes)) return planTooLong(); // it is not even copied
  const run = {
    id: step.target_id,
    configId: typeof configId === "string" ? configId : null,
    env: given.env,
  };
  const planning = {
    facts: stateBase(facts),
    action,
    run,
    cause: causeOf(draft, trigger),
    ...(apiUrl !== undefined && { apiUrl }),
  };
  return rendered(run.id, "plan", { given: planning, values: facts.values });
}

/** What a lifecycle run is told of why it runs. */
function causeOf({ workflow }: WorkflowDraft, trigger: unknown): Readonly<Record<string, string>> {
  if (trigger === "manual" || trigger === "adhoc" || typeof trigger !== "string") return {};
  return { TRIGGER_TYPE: trigger, FLOW_TYPE: workflow.type, FLOW_ID: workflow.id };
}

function endOf({ status }: Step, isTimeout: boolean): ActionRunRow["status"] {
  if (status === "success") return "finished";
  if (status === "cancelled") return "cancelled";
  return isTimeout ? "timed-out" : "error";
}

function endRun(
  env: KindEnvironment,
  draft: WorkflowDraft,
  { step, status }: { readonly step: Step; readonly status: ActionRunRow["status"] },
): void {
  const run = draft.actionRunOf(step);
  if (run === undefined || run.finished_at !== null) return;
  if (status !== "cancelled") judgeHealth(env, draft, { step, run, isGood: status === "finished" });
  Object.assign(run, {
    status,
    status_description: step.status_description,
    status_at: draft.now,
    finished_at: draft.now,
    composite_error: status === "finished" ? null : step.error,
  });
}

/** How many verdicts an install has: lists show them all. */
const mostChecks = 50;

/** The end of an action that is a health check says how healthy the install is; one that was cancelled says nothing. */
function judgeHealth(
  { facts, given }: KindEnvironment,
  { install, now }: WorkflowDraft,
  {
    step,
    run,
    isGood,
  }: { readonly step: Step; readonly run: ActionRunRow; readonly isGood: boolean },
): void {
  const action = facts.config.actions?.find(({ name }) => name === run.name);
  if (given.adhoc !== undefined || action?.is_healthcheck !== true) return;
  const known = { ...facts.install.health, ...install.health };
  if (!(run.name in known) && Object.keys(known).length >= mostChecks) return;
  const status = isGood ? "healthy" : "degraded";
  const detail = isGood ? "" : (step.error?.detail ?? step.status_description);
  const verdict = { status, run_id: run.id, at: now, detail: detail.slice(0, 500) } as const;
  install.health = { ...install.health, [run.name]: verdict };
}
