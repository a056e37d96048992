import { hiddenValue } from "../../shared/hidden-value.ts";
import { actionPlan } from "../../shared/plans/action-plan.ts";
import { planNames } from "../../shared/plans/plan-names.ts";
import { mintRunToken } from "../action-runs/run-token.ts";
import { newId } from "../database/new-id.ts";
import { draftJob } from "../jobs/draft-job.ts";
import { sealShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { ApprovedPlan, KindEnvironment } from "./kinds/kind-environment.ts";
import type { JobDraft, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { ActionRunRow, Step } from "./machine/workflow-rows.ts";

/**
 * The job of a step that runs an action, and the digest of the token that it brings the run. It has one execution: only the step is
 * tried again.
 */
export function draftStepJob(
  { facts, seals }: KindEnvironment,
  { workflow }: WorkflowDraft,
  {
    step,
    run,
    plan,
  }: { readonly step: Step; readonly run: ActionRunRow; readonly plan: ApprovedPlan },
): { readonly job: JobDraft; readonly tokenDigest: string } {
  const id = newId("job");
  const { token, digest } = mintRunToken(id);
  const metadata = {
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    install_id: facts.install.id,
    app_id: facts.app.id,
    app_config_id: facts.configId,
  };
  const job = draftJob(
    {
      orgId: facts.org.id as OrgId, // read by it
      actorId: workflow.created_by_id,
      runnerId: facts.runner.id,
    },
    {
      type: "actions-workflow",
      operation: "exec",
      ownerId: run.id,
      ownerType: "install_action_workflow_runs",
      metadata,
      plan: withToken(plan.text, token),
      planNames: planNames(JSON.parse(plan.text)),
      actionTimeoutNs: run.timeout,
      maxExecutions: 1,
    },
    { request: 1, id, seals, ahead: new StagedUploads() },
  );
  const shown =
    plan.shown === undefined
      ? {}
      : { shown: sealShownPlan(seals, { orgId: facts.org.id, id }, plan.shown) };
  const of = { workflow_id: workflow.id, workflow_step_id: step.id, step_job_idx: step.job_idx };
  return { job: { ...job, run_steps: stepsOf(plan), ...of, ...shown }, tokenDigest: digest };
}

type Planned = { readonly builtin_env_vars?: object; readonly secrets?: readonly string[] };

/** The plan as it was rendered, or approved, and the run's token: agents hide it in logs. */
function withToken(text: string, token: string): string {
  const plan = JSON.parse(text) as Planned;
  return JSON.stringify({
    ...plan,
    builtin_env_vars: { ...plan.builtin_env_vars, SVC_API_TOKEN: token },
    secrets: [...(plan.secrets ?? []), token],
  });
}

/** The steps of a run, as rows of the run are made of them, by the names that people may see. */
function stepsOf({ text, shown }: ApprovedPlan): readonly {
  readonly step_id: string;
  readonly name: string;
  readonly idx: number;
}[] {
  const { steps } = actionPlan.parse(JSON.parse(shown ?? text));
  return (steps ?? []).map(({ run_id: id, name }, idx) => ({
    step_id: id ?? "",
    name: shown === undefined ? hiddenValue : (name ?? ""),
    idx,
  }));
}
