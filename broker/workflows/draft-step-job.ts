import { actionPlan } from "../../shared/plans/action-plan.ts";
import { planNames } from "../../shared/plans/plan-names.ts";
import { draftJob } from "../jobs/draft-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { KindEnvironment } from "./kinds/kind-environment.ts";
import type { JobDraft, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { ActionRunRow, Step } from "./machine/workflow-rows.ts";

/** The job of a step that runs an action. It has one execution: only the step is tried again. */
export function draftStepJob(
  { facts, seals }: KindEnvironment,
  { workflow }: WorkflowDraft,
  { step, run, plan }: { readonly step: Step; readonly run: ActionRunRow; readonly plan: string },
): JobDraft {
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
      plan,
      planNames: planNames(JSON.parse(plan)),
      actionTimeoutNs: run.timeout,
      maxExecutions: 1,
    },
    { request: 1, seals, ahead: new StagedUploads() },
  );
  return {
    ...job,
    run_steps: stepsOf(plan),
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    step_job_idx: step.job_idx,
  };
}

/** The steps of a run, as rows of the run are made of them. */
function stepsOf(
  text: string,
): readonly { readonly step_id: string; readonly name: string; readonly idx: number }[] {
  const { steps } = actionPlan.parse(JSON.parse(text));
  return (steps ?? []).map(({ run_id: id, name }, idx) => ({
    step_id: id ?? "",
    name: typeof name === "string" ? name : "",
    idx,
  }));
}
