import type { RoleUsageDraft } from "../install-roles/draft-role-usage.ts";
import { draftJob } from "../jobs/draft-job.ts";
import { sealShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { JobLogin } from "../registry/make-job-login.ts";
import type { PullLogin } from "../registry/make-pull-login.ts";
import type { Seals } from "../seals/seals.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { JobDraft, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { Step } from "./machine/workflow-rows.ts";

type Order = Parameters<typeof draftJob>[1];

type OfStep = {
  readonly id: string;
  readonly orgId: string;
  readonly runnerId: string;
  readonly workflow: WorkflowDraft["workflow"];
  readonly step: Step;
  /** The masked twin of its plan. */
  readonly shown?: string;
  /** What its login to the registry opens. */
  readonly login?: JobLogin["stored"] | undefined;
  /** A login that outlives the job. */
  readonly pullLogin?: PullLogin["stored"] | undefined;
  /** As whom it runs, where it is of an install. */
  readonly roleUsage?: RoleUsageDraft;
};

/** The job of a step. It has one execution: only the step is tried again. */
export function draftJobOfStep(
  seals: Seals,
  { id, orgId: org, runnerId, workflow, step, shown, login, pullLogin, roleUsage }: OfStep,
  order: Omit<Order, "maxExecutions">,
): JobDraft {
  const orgId = org as OrgId; // read by it
  const job = draftJob(
    { orgId, actorId: workflow.created_by_id, runnerId },
    {
      ...order,
      metadata: { workflow_id: workflow.id, workflow_step_id: step.id, ...order.metadata },
      maxExecutions: 1,
    },
    { request: 1, id, seals, ahead: new StagedUploads() },
  );
  return {
    ...job,
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    step_job_idx: step.job_idx,
    ...(shown !== undefined && { shown: sealShownPlan(seals, { orgId, id }, shown) }),
    ...(login !== undefined && { registry_login: login }),
    ...(pullLogin !== undefined && { pull_login: pullLogin }),
    ...(roleUsage !== undefined && { role_usage: roleUsage }),
  };
}
