import { newId } from "../database/new-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { WorkflowGiven } from "./kinds/kind-environment.ts";
import { laneGone } from "./lane-refusals.ts";
import type { ChildDraft, WorkflowDraft } from "./machine/workflow-draft.ts";
import type { Params } from "./machine/workflow-rows.ts";
import { workflowType, workflowTypes, type WorkflowTypeName } from "./types/workflow-types.ts";

export type NewWorkflow = {
  readonly id?: string;
  readonly type: WorkflowTypeName;
  readonly orgId: string;
  readonly installId: string;
  /** The install's lanes, by their names. */
  readonly lanes: ReadonlyMap<string, string>;
  readonly approvalOption: "prompt" | "approve-all";
  readonly actorId: string;
  readonly role?: string;
  /** It changes nothing, and waits for no change. */
  readonly planOnly?: boolean;
  readonly params?: Params;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly given?: WorkflowGiven;
  /** The run of an action that it is for. */
  readonly actionRun?: Readonly<Record<string, unknown>>;
  /** The deploy that it is for. */
  readonly installDeploy?: NewDeploy;
};

/** A row of `install_deploys` that is there from the begin. */
export type NewDeploy = {
  readonly id: string;
  /** The row of `install_components`. */
  readonly target_id: string;
  readonly component_id: string;
  readonly component_name: string;
  readonly component_type: string;
  readonly type: "apply" | "sync-image" | "recover";
  /** Null: which one is decided when it is planned. */
  readonly build_id: string | null;
  readonly plan_only: boolean;
  readonly role: string;
};

/** A new workflow of an install, in the lane of its type, as `create_workflow` of the database takes it; 409 where that is gone. */
export function draftWorkflow(seals: Pick<Seals, "seal">, workflow: NewWorkflow) {
  const { id = newId("wfl"), type, given, planOnly = false } = workflow;
  const queueId = workflow.lanes.get(planOnly ? "plans" : workflowTypes[type].lane);
  if (queueId === undefined) throw laneGone();
  return {
    id,
    org_id: workflow.orgId,
    type,
    owner_type: "installs",
    owner_id: workflow.installId,
    role: workflow.role ?? "",
    plan_only: planOnly,
    approval_option: workflow.approvalOption,
    params: workflow.params ?? {},
    metadata: workflow.metadata ?? {},
    signal_id: newId("sig"),
    queue_id: queueId,
    run_id: newId("wfr"),
    created_by_id: workflow.actorId,
    ...(given && { given: sealGiven(seals, { orgId: workflow.orgId, id }, given) }),
    ...(workflow.actionRun && { install_action_run: workflow.actionRun }),
    ...(workflow.installDeploy && { install_deploy: workflow.installDeploy }),
  };
}

/** A child of a workflow, as `begin_children` of the database takes it. What its parent was asked for is asked of it. */
export function draftChild(
  { workflow: parent, newId: make }: Pick<WorkflowDraft, "workflow" | "newId">,
  { ref, step, key, type, installId, params, metadata }: ChildDraft,
) {
  return {
    ref,
    id: newId("wfl"),
    org_id: parent.org_id,
    type,
    owner_type: "installs",
    owner_id: installId,
    lane: parent.plan_only ? "plans" : workflowType(type).lane,
    role: parent.role,
    plan_only: parent.plan_only,
    approval_option: parent.approval_option,
    params,
    metadata,
    signal_id: make("sig"),
    run_id: make("wfr"),
    created_by_id: parent.created_by_id,
    parent_id: parent.id,
    parent_step_id: step.id,
    child_key: key,
    depth: parent.depth + 1,
  };
}

function sealGiven(
  seals: Pick<Seals, "seal">,
  { orgId, id }: { readonly orgId: string; readonly id: string },
  given: WorkflowGiven,
): { readonly key_id: string | null; readonly base64: string } {
  const thing = { orgId, id, part: "workflow-given" };
  const { keyId, bytes } = seals.seal(thing, Buffer.from(JSON.stringify(given)));
  return { key_id: keyId, base64: bytes.toString("base64") };
}
