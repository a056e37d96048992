import { newId } from "../database/new-id.ts";
import { draftJob } from "../jobs/draft-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { BuildRow, Step } from "../workflows/machine/workflow-rows.ts";
import type { BuildFacts } from "./build-facts.ts";
import type { BuildJob } from "./build-plan.ts";

type OfBuild = {
  readonly step: Step;
  readonly build: BuildRow;
  readonly planned: BuildJob;
  readonly runnerId: string;
  /** 0: that of the job's type. */
  readonly timeoutNs: number;
};

/** The job of a step that builds a component. It has one execution: only the step is tried again. */
export function draftBuildJob(
  { facts, seals }: { readonly facts: BuildFacts; readonly seals: Seals },
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, build, planned, runnerId, timeoutNs }: OfBuild,
): JobDraft {
  const id = newId("job");
  const metadata = {
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    app_id: facts.app.id,
    app_config_id: facts.configId,
    component_id: build.component_id,
    component_build_id: build.id,
  };
  const job = draftJob(
    { orgId: facts.org.id as OrgId, actorId: workflow.created_by_id, runnerId }, // read by it
    {
      type: planned.type,
      operation: "build",
      ownerId: build.id,
      ownerType: "component_builds",
      metadata,
      plan: JSON.stringify(planned.plan),
      planNames: [],
      executionTimeout: timeoutNs,
      maxExecutions: 1,
    },
    { request: 1, id, seals, ahead: new StagedUploads() },
  );
  return {
    ...job,
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    step_job_idx: step.job_idx,
  };
}
