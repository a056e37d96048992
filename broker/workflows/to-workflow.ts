import type {
  ShownApproval,
  ShownGroup,
  ShownStep,
  ShownWorkflow,
  WholeWorkflow,
} from "../../shared/api/workflow.ts";
import { isEndedStep } from "../../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../../shared/workflow.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import { targetIdOf } from "./machine/event-draft.ts";
import type { Approval, Child, Group, Step, Workflow } from "./machine/workflow-rows.ts";
import type { WorkflowSnapshot } from "./machine/workflow-snapshot.ts";
import { wordsOfWorkflow } from "./types/workflow-types.ts";

type Held = { readonly workflow: Workflow; readonly owner_name: string; readonly now: string };

/** A workflow as lists show it. */
export function toWorkflow({ workflow, owner_name, now }: Held): ShownWorkflow {
  return {
    id: workflow.id,
    org_id: workflow.org_id,
    name: wordsOfWorkflow(workflow),
    type: workflow.type,
    owner_id: workflow.owner_id,
    owner_type: workflow.owner_type,
    owner_name,
    role: workflow.role,
    plan_only: workflow.plan_only,
    approval_option: workflow.approval_option,
    step_error_behavior: "abort",
    status: statusOf(workflow),
    cancelling: workflow.is_cancelling && !isFinishedWorkflow(workflow.status),
    finished: isFinishedWorkflow(workflow.status),
    started_at: instant(workflow.started_at),
    finished_at: instant(workflow.finished_at),
    execution_time: timeOf(workflow, now),
    metadata: workflow.metadata,
    ...compositeErrorOf(workflow.error, { type: "workflows", id: workflow.id }),
    ...parentOf(workflow),
    created_by_id: workflow.created_by_id,
    created_at: instant(workflow.created_at),
  };
}

const parentOf = ({
  parent_id: id,
  parent_step_id: step,
}: Workflow): Pick<ShownWorkflow, "parent"> =>
  id === null || step === null
    ? {}
    : { parent: { workflow_id: id, step_id: step, kind: "workflow_step" } };

/** A workflow with its runs, groups and steps. */
export function toWholeWorkflow(snapshot: WorkflowSnapshot, ownerName: string): WholeWorkflow {
  const { workflow, now, runs, groups } = snapshot;
  const steps = toSteps(snapshot);
  return {
    ...toWorkflow({ workflow, owner_name: ownerName, now }),
    workflow_runs: runs.map((run) => ({
      id: run.id,
      workflow_id: workflow.id,
      type: run.type,
      status: statusOf({
        ...run,
        status_description: "",
        status_at: run.finished_at ?? run.created_at,
      }),
      start_from_idx: run.start_from_idx,
      trigger_step_id: run.trigger_step_id ?? "",
      started_at: instant(run.started_at),
      finished_at: instant(run.finished_at),
    })),
    step_groups: groups.map((group) => toGroup(workflow, group, steps)),
    steps,
  };
}

/** The steps of a workflow in their order. */
export function toSteps({
  workflow,
  groups,
  steps,
  approvals,
  children,
  now,
}: WorkflowSnapshot): ShownStep[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  return steps.map((step) => {
    const approval = approvals.find(({ step_id }) => step_id === step.id);
    const own = children.filter(({ step_id }) => step_id === step.id);
    const group = byId.get(step.group_id);
    return toStep({ workflow, step, approval, children: own, group, now });
  });
}

function toGroup(workflow: Workflow, group: Group, steps: readonly ShownStep[]): ShownGroup {
  return {
    id: group.id,
    workflow_id: workflow.id,
    group_idx: group.group_idx,
    group_retry_idx: group.group_retry_idx,
    parallel: group.parallel,
    name: group.name,
    result_directive: group.result_directive,
    steps: steps.filter(({ workflow_step_group_id: id }) => id === group.id),
  };
}

type StepParts = {
  readonly workflow: Workflow;
  readonly step: Step;
  readonly approval: Approval | undefined;
  readonly children: readonly Child[];
  readonly group: Group | undefined;
  readonly now: string;
};

function toStep({ workflow, step, approval, children, group, now }: StepParts): ShownStep {
  return {
    id: step.id,
    workflow_id: workflow.id,
    install_workflow_id: workflow.id,
    workflow_step_group_id: step.group_id,
    name: step.name,
    idx: step.idx,
    group_idx: group?.group_idx ?? 0,
    group_retry_idx: group?.group_retry_idx ?? 0,
    group_parallel: group?.parallel ?? false,
    owner_id: workflow.owner_id,
    owner_type: workflow.owner_type,
    execution_type: step.execution_type,
    step_target_id: targetIdOf(step),
    step_target_type: step.target_type,
    status: statusOf(step),
    finished: isEndedStep(step.status),
    started_at: instant(step.started_at),
    finished_at: instant(step.finished_at),
    execution_time: timeOf(step, now),
    retryable: step.params["retryable"] !== false,
    retried: step.is_retried,
    retry_index: step.retry_index,
    skippable: step.params["skippable"] === true,
    skip_on_failure: step.params["skip_on_failure"] === true,
    result_directive: step.result_directive,
    runner_job_id: step.job_id,
    ...compositeErrorOf(step.error, { type: "install_workflow_steps", id: step.id }),
    ...(approval && { approval: toApproval(workflow, step, approval) }),
    child_workflows: children.map(({ id, type, owner_id, status }) => ({
      id,
      type,
      owner_id,
      status,
    })),
    deadline_at: instant(step.deadline_at),
    created_at: instant(step.created_at),
  };
}

/** An approval as the API shows it, without what it is about. */
export function toApproval(workflow: Workflow, step: Step, approval: Approval): ShownApproval {
  const { response_id: id, response_type: type, responded_at: at } = approval;
  return {
    id: approval.id,
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    installWorkflowStepID: step.id,
    step_name: step.name,
    runner_job_id: step.job_id,
    owner_id: step.target_id,
    owner_type: step.target_type,
    type: approval.type,
    plan_digest: approval.plan_digest,
    expires_at: instant(approval.expires_at),
    created_at: instant(approval.created_at),
    ...(id !== null &&
      type !== null &&
      at !== null && {
        response: {
          id,
          type,
          note: approval.note,
          created_by_id: approval.responded_by_id,
          created_at: instant(at),
        },
      }),
  };
}

type Timed = { readonly started_at: string | null; readonly finished_at: string | null };

function timeOf({ started_at: from, finished_at: until }: Timed, now: string): number {
  return from === null ? 0 : Math.max(0, (Date.parse(until ?? now) - Date.parse(from)) * 1e6);
}

function statusOf(of: {
  readonly status: string;
  readonly status_description: string;
  readonly status_at: string;
}) {
  const { status, status_description: description, status_at: at } = of;
  return toCompositeStatus({ status, description, at: new Date(at) });
}

function instant(text: string): string;
function instant(text: string | null): string | null;
function instant(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}
