import { isEndedBuild } from "../../../shared/build-statuses.ts";
import { isEndedDeploy } from "../../../shared/deploy-statuses.ts";
import { problem } from "../../../shared/problem.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { BuildRow, Group, Step } from "./workflow-rows.ts";

/** Puts a new row in the place of a step, which begins not before this instant. */
export function cloneStep(draft: WorkflowDraft, step: Step, notBefore: string | null): void {
  step.is_retried = true;
  const targets = new Map<string, string>();
  const retryIndex = step.retry_index + 1;
  draft.steps.push(copyOf(draft, step, { groupId: step.group_id, retryIndex, targets, notBefore }));
}

/** Puts a new group in the place of one, with all its steps from the first, which begin not before this instant. */
export function cloneGroup(
  draft: WorkflowDraft,
  group: Group,
  notBefore: string | null = null,
): void {
  const clone: Group = {
    ...group,
    id: draft.newId("wsg"),
    group_retry_idx: group.group_retry_idx + 1,
    result_directive: null,
    created_at: draft.now,
  };
  const targets = new Map<string, string>();
  const place = { groupId: clone.id, retryIndex: clone.group_retry_idx, targets, notBefore };
  const originals = draft.stepsOf(group);
  const copies = originals.map((step) => copyOf(draft, step, place));
  for (const step of originals)
    if (step.status === "error" && step.result_directive === "retry-group") step.is_retried = true;
  draft.groups.push(clone);
  draft.steps.push(...copies);
}

type Place = {
  readonly groupId: string;
  readonly retryIndex: number;
  /** New targets by the old ones: steps of one target have one again. */
  readonly targets: Map<string, string>;
  readonly notBefore: string | null;
};

function copyOf(draft: WorkflowDraft, step: Step, place: Place): Step {
  return {
    ...step,
    id: draft.newId("stp"),
    group_id: place.groupId,
    retry_index: place.retryIndex,
    status: "pending",
    status_description: "",
    status_at: draft.now,
    result_directive: null,
    target_id: targetOf(draft, step, place.targets),
    job_id: null,
    job_idx: 0,
    error: null,
    is_retried: false,
    is_told: false,
    deadline_at: place.notBefore,
    created_at: draft.now,
    started_at: null,
    finished_at: null,
  };
}

/** A run of an action is another one, and so is a build that failed; what stands for itself stays. */
function targetOf(draft: WorkflowDraft, step: Step, targets: Map<string, string>): string {
  if (isBuildTarget(step)) return buildFor(draft, step);
  if (isDeployTarget(step)) return deployFor(draft, step, targets);
  if (step.target_type !== "install_action_workflow_runs") return step.target_id;
  const known = targets.get(step.target_id);
  if (known !== undefined) return known;
  const id = draft.newId("awr");
  targets.set(step.target_id, id);
  const run = draft.actionRunOf(step);
  if (run !== undefined) {
    draft.actionRuns.push({
      ...run,
      id,
      workflow_step_id: null,
      runner_job_id: null,
      status: "queued",
      status_description: "",
      status_at: draft.now,
      composite_error: null,
      created_at: draft.now,
      started_at: null,
      finished_at: null,
    });
    if (run.status === "error" || run.status === "timed-out")
      Object.assign(run, { status: "retried", status_at: draft.now });
    else if (run.status === "queued")
      Object.assign(run, { status: "cancelled", status_at: draft.now, finished_at: draft.now });
  }
  return id;
}

const isDeployTarget = ({ target_type: type }: Step): boolean =>
  type === "install_deploys" || type === "install_sandbox_runs";

/** Another deploy, of which the row is made when it begins: each plan is of its own. What did not come to an end is discarded. */
function deployFor(draft: WorkflowDraft, step: Step, targets: Map<string, string>): string {
  const known = targets.get(step.target_id);
  if (known !== undefined) return known;
  const id = draft.newId(step.target_type === "install_deploys" ? "dep" : "sbr");
  targets.set(step.target_id, id);
  const former = draft.deployOf(step);
  if (former !== undefined && (former.status === "error" || !isEndedDeploy(former.status)))
    Object.assign(former, { status: "discarded", status_at: draft.now, finished_at: draft.now });
  return id;
}

const isBuildTarget = ({ target_type: type }: Step): boolean =>
  type === "component_builds" || type === "app_sandbox_builds";

function buildFor(draft: WorkflowDraft, step: Step): string {
  const build = draft.buildOf(step);
  if (build === undefined)
    throw problem.conflict(
      "build_gone",
      "What this workflow built is deleted: nothing needed it any more. Build it anew.",
    );
  if (!isEndedBuild(build.status) || build.status === "active") return step.target_id;
  const again: BuildRow = {
    ...build,
    id: draft.newId(build.component_id === null ? "sbd" : "bld"),
    workflow_step_id: null,
    runner_job_id: null,
    status: "planning",
    status_description: "",
    status_at: draft.now,
    composite_error: null,
    artifact: {},
    no_op: false,
    created_at: draft.now,
    started_at: null,
    finished_at: null,
  };
  draft.builds.push(again);
  return again.id;
}
