import { isEndedDeploy } from "../../../shared/deploy-statuses.ts";
import type { DeployType } from "../../../shared/deploy-statuses.ts";
import type { PartFacts } from "../../deploys/deploy-facts.ts";
import { typeOfPart } from "../../deploys/deploy-part.ts";
import type { DeployRow, TargetRow } from "../machine/deploy-rows.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault, Step } from "../machine/workflow-rows.ts";
import type { KindEnvironment } from "./kind-environment.ts";

/** What a step of a deploy is about. */
export type OfDeploy = {
  readonly step: Step;
  readonly deploy: DeployRow;
  readonly part: PartFacts;
  readonly target: TargetRow;
};

/** What a step is about that makes no row of a deploy. */
export function draftOfDeploy(env: KindEnvironment, draft: WorkflowDraft, step: Step): OfDeploy {
  const part = partOf(env, step);
  const target = draft.targets.find(({ id }) => id === part.targetId);
  if (target === undefined) throw new Error(`step ${step.id} has nothing that is deployed`);
  return { step, deploy: newDeploy(draft, { step, part }), part, target };
}

/** What the step is about: the row of its deploy was made with the workflow, or is made by the first step that is about it. */
export function keepDeploy(env: KindEnvironment, draft: WorkflowDraft, step: Step): OfDeploy {
  const part = partOf(env, step);
  const target = draft.targets.find(({ id }) => id === part.targetId);
  if (target === undefined) throw new Error(`step ${step.id} has nothing that is deployed`);
  const found = draft.deployOf(step);
  const deploy = found ?? newDeploy(draft, { step, part });
  if (found === undefined) draft.deploys.push(deploy);
  deploy.workflow_step_id = step.id;
  deploy.started_at ??= draft.now;
  return { step, deploy, part, target };
}

/** What is known of what the step deploys: the sandbox, or a component by its id. */
export function partOf({ deploys }: KindEnvironment, { id: stepId, params }: Step): PartFacts {
  const { component_id: id, is_sandbox: isSandbox } = params;
  const part =
    isSandbox === true
      ? deploys?.sandbox
      : deploys?.components.find(({ componentId }) => componentId === id);
  if (part === undefined) throw new Error(`the install has not what step ${stepId} deploys`);
  return part;
}

function newDeploy(
  { workflow, now }: WorkflowDraft,
  { step, part }: { readonly step: Step; readonly part: PartFacts },
): DeployRow {
  const configured = part.wanted ?? part.deployedPart;
  return {
    id: step.target_id,
    install_id: workflow.owner_id,
    target_id: part.targetId,
    component_id: part.componentId,
    component_name: part.name,
    component_type: configured === undefined ? "" : typeOfPart(configured.part),
    type: String(step.params["run_type"]) as DeployType, // of a type's groups
    app_config_id: workflow.app_config_id,
    build_id: null,
    artifact: {},
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    plan_job_id: null,
    apply_job_id: null,
    outputs_job_id: null,
    status: "pending",
    status_description: "",
    status_at: now,
    composite_error: null,
    plan_only: workflow.plan_only,
    role: workflow.role,
    changes: {},
    values_digest: "",
    revision: null,
    planned_at: null,
    applied_at: null,
    created_at: now,
    started_at: null,
    finished_at: null,
    created_by_id: workflow.created_by_id,
  };
}

type End = {
  readonly status: DeployRow["status"];
  readonly description?: string;
  readonly error?: CompositeFault | null;
};

/** Moves a deploy, and what it is of where it is to change something. */
export function moveDeploy(
  { now }: WorkflowDraft,
  { deploy, target }: Pick<OfDeploy, "deploy" | "target">,
  { status, description = "", error = null }: End,
): void {
  const since = { status, status_description: description, status_at: now };
  Object.assign(deploy, since);
  if (isEndedDeploy(status)) Object.assign(deploy, { finished_at: now, composite_error: error });
  target.latest_id = deploy.id;
  const isUntouched =
    status === "queued" || (status === "cancelled" && deploy.plan_job_id === null);
  if (!deploy.plan_only && !isUntouched) Object.assign(target, since);
}
