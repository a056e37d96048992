import { mintRunToken } from "../action-runs/run-token.ts";
import { newId } from "../database/new-id.ts";
import { draftRoleUsage } from "../install-roles/draft-role-usage.ts";
import { draftJob } from "../jobs/draft-job.ts";
import { sealShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { ApprovedPlan, KindEnvironment } from "./kinds/kind-environment.ts";
import type { JobDraft, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { ActionRunRow, Step } from "./machine/workflow-rows.ts";
import { planWithToken } from "./plan-with-token.ts";

/**
 * The job of a step that runs an action, and the digest of the token that it brings the run. It has one execution: only the step is
 * tried again.
 */
export function draftStepJob(
  { facts, given, seals }: KindEnvironment,
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
      plan: planWithToken(plan.text, token),
      planNames: plan.names,
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
  const role_usage = draftRoleUsage(facts.config, {
    operation: "trigger",
    ...(given.adhoc === undefined && { action: run.name }),
  });
  return {
    job: { ...job, run_steps: plan.steps, ...of, ...shown, role_usage },
    tokenDigest: digest,
  };
}
