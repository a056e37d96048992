import type { RunnerJobOperation } from "../../shared/runner-job-types.ts";
import { newId } from "../database/new-id.ts";
import { draftJob } from "../jobs/draft-job.ts";
import { sealShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { Step } from "../workflows/machine/workflow-rows.ts";
import type { SyncPlanTexts } from "./plan/plan-secrets.ts";

type OfSync = {
  readonly step: Step;
  readonly plan: SyncPlanTexts;
  readonly operation: RunnerJobOperation;
};

/** The job of a step that syncs secrets. It has one execution: only the step is tried again. */
export function draftSyncJob(
  { facts, seals }: Pick<KindEnvironment, "facts" | "seals">,
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, plan, operation }: OfSync,
): JobDraft {
  const id = newId("job");
  const orgId = facts.org.id as OrgId; // read by it
  const job = draftJob(
    { orgId, actorId: workflow.created_by_id, runnerId: facts.runner.id },
    {
      type: "sandbox-sync-secrets",
      operation,
      ownerId: step.id,
      ownerType: "install_workflow_steps",
      metadata: {
        workflow_id: workflow.id,
        workflow_step_id: step.id,
        install_id: facts.install.id,
        app_id: facts.app.id,
        app_config_id: facts.configId,
      },
      plan: plan.text,
      planNames: plan.names,
      maxExecutions: 1,
    },
    { request: 1, id, seals, ahead: new StagedUploads() },
  );
  return {
    ...job,
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    step_job_idx: step.job_idx,
    shown: sealShownPlan(seals, { orgId, id }, plan.shown),
  };
}
