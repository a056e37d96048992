import type { WorkflowDraft } from "./workflow-draft.ts";

/** Whether anything of a decision is to be written. */
export const isChanged = (draft: WorkflowDraft): boolean =>
  draft.lookAt !== undefined ||
  draft.workflowEvents.length > 0 ||
  draft.stepEvents.size > 0 ||
  draft.newJobs.length > 0 ||
  draft.newEvaluations.length > 0 ||
  draft.placeMove !== undefined ||
  draft.newChildren.length > 0 ||
  (draft.workflow.faults > 0 && !draft.workflow.is_cancelling) || // there were some, but not in a row
  draft.workflow.is_cancelling !== draft.snapshot.workflow.is_cancelling ||
  draft.workflow.approval_option !== draft.snapshot.workflow.approval_option ||
  draft.approveAllBy !== undefined ||
  draft.steps.length !== draft.snapshot.steps.length ||
  draft.steps.some(
    ({ status_description: said, deadline_at }, at) =>
      said !== draft.snapshot.steps[at]?.status_description ||
      deadline_at !== draft.snapshot.steps[at]?.deadline_at,
  ) ||
  draft.actionRuns.some((run, at) => run.status !== draft.snapshot.action_runs[at]?.status) ||
  draft.builds.some((build, at) => build.status !== draft.snapshot.builds[at]?.status) ||
  draft.deploys.some((deploy, at) => deploy.status !== draft.snapshot.deploys[at]?.status);
