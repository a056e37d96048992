import type { EventEntity } from "../../../shared/webhooks/accepts-event.ts";
import {
  driftWorkflows,
  type EventKind,
  type EventTransition,
  eventTransitions,
} from "../../../shared/webhooks/event-resources.ts";
import { slugsOf } from "../../../shared/webhooks/slugs-of.ts";
import type { Step, Workflow } from "./workflow-rows.ts";

/** An event as `write_events` of the database takes it. */
export type EventDraft = {
  readonly org_id: string;
  readonly kind: EventKind;
  readonly transition: EventTransition;
  readonly workflow_id: string;
  readonly workflow_type: string;
  readonly step_id: string | null;
  readonly slugs: readonly string[];
  readonly entities: readonly EventEntity[];
  readonly data: Readonly<Record<string, unknown>>;
};

/** What is said of an event besides whose it is. */
export type EventWords = {
  readonly transition: EventTransition;
  readonly startedAt?: string | null;
  readonly now: string;
  readonly error?: string | undefined;
  readonly approval?: Readonly<Record<string, unknown>>;
  readonly drift?: Readonly<Record<string, number>>;
};

type Doing = { readonly resource: string; readonly op: string };

const secrets: Doing = { resource: "install_configurations", op: "secrets" };
/** What is done to what, by the type of a workflow. */
const doingOfWorkflow: Readonly<Record<string, Doing>> = {
  provision: { resource: "installs", op: "provision" },
  deprovision: { resource: "installs", op: "deprovision" },
  reprovision: { resource: "installs", op: "reprovision" },
  input_update: { resource: "install_configurations", op: "inputs" },
  sync_secrets: secrets,
  action_workflow_run: { resource: "actions", op: "run" },
  manual_deploy: { resource: "components", op: "deploy" },
  deploy_components: { resource: "components", op: "deploy" },
  component_enabled: { resource: "components", op: "deploy" },
  teardown_component: { resource: "components", op: "teardown" },
  teardown_components: { resource: "components", op: "teardown" },
  component_disabled: { resource: "components", op: "teardown" },
  reprovision_sandbox: { resource: "sandboxes", op: "reprovision" },
  deprovision_sandbox: { resource: "sandboxes", op: "deprovision" },
  drift_run: { resource: "components", op: "drift" },
  drift_run_reprovision_sandbox: { resource: "sandboxes", op: "drift" },
};
/** The same by the target of a step, where it is not the workflow's. */
const doingOfTarget: Readonly<Record<string, Doing>> = {
  install_action_workflow_runs: { resource: "actions", op: "run" },
};
const doingOf = ({ type, owner_type: resource }: Workflow): Doing =>
  doingOfWorkflow[type] ?? { resource, op: type };

/** A runner's account is made by a provision, and made again by what comes after it; its health is its install's. */
function doingOfStep(workflow: Workflow, { kind, target_type: target, params }: Step): Doing {
  if (kind === "account")
    return { resource: "runners", op: workflow.type === "provision" ? "provision" : "reprovision" };
  if (kind === "secrets") return secrets;
  const isDrift = driftWorkflows.includes(workflow.type);
  if (target === "install_deploys")
    return {
      resource: "components",
      op: isDrift ? "drift" : kind.startsWith("td-") ? "teardown" : "deploy",
    };
  if (target === "install_sandbox_runs")
    return { resource: "sandboxes", op: isDrift ? "drift" : String(params["run_type"]) };
  return doingOfTarget[target] ?? doingOf(workflow);
}

/** What a step works on: itself, where that is nothing that is kept. */
export const targetIdOf = ({ id, target_type: type, target_id: target }: Step): string =>
  type === "install_workflow_steps" ? id : target;

/** The event of a workflow's move. */
export function workflowEvent(
  workflow: Workflow,
  entities: readonly EventEntity[],
  words: EventWords,
): EventDraft {
  const { transition } = words;
  return {
    ...common(workflow, entities, words),
    kind: "workflow",
    step_id: null,
    slugs: slugsOf({ ...doingOf(workflow), transition }),
  };
}

/** The event of a step's move. */
export function stepEvent(
  workflow: Workflow,
  step: Step,
  { entities, words }: { readonly entities: readonly EventEntity[]; readonly words: EventWords },
): EventDraft {
  const { transition } = words;
  const { data, ...rest } = common(workflow, entities, words);
  const targetId = targetIdOf(step);
  return {
    ...rest,
    kind: "workflow_step",
    step_id: step.id,
    slugs: slugsOf({ ...doingOfStep(workflow, step), transition }),
    data: {
      ...data,
      step: {
        id: step.id,
        name: step.name,
        idx: step.idx,
        target_type: step.target_type,
        ...(targetId !== "" && { target_id: targetId }),
        execution_type: step.execution_type,
      },
      ...(words.approval && { approval: words.approval }),
      ...(words.drift && { drift: words.drift }),
    },
  };
}

function common(workflow: Workflow, entities: readonly EventEntity[], words: EventWords) {
  const { id, type, owner_id, owner_type, org_id, parent_id, parent_step_id } = workflow;
  const parent = { workflow_id: parent_id, step_id: parent_step_id, kind: "workflow_step" };
  const links = linksOf[owner_type]?.(owner_id) ?? {};
  return {
    org_id,
    transition: words.transition,
    workflow_id: id,
    workflow_type: type,
    entities,
    data: {
      workflow: { id, type, owner_id, owner_type },
      ...(parent_id !== null && { parent }),
      ...outcomeOf(words),
      links: { org: org_id, workflow: id, ...links },
    },
  };
}

/** What of the owner events link to, by its type. */
const linksOf: {
  readonly [Type in Workflow["owner_type"]]?: (id: string) => Readonly<Record<string, string>>;
} = {
  installs: (install) => ({ install }),
  apps: (app) => ({ app }),
};

const mostErrorBytes = 4096;

/** What a runner says may be long; receivers get a text of at most 4 KiB, with no half character. */
function cutError(error: string): string {
  const bytes = Buffer.from(error);
  if (bytes.length <= mostErrorBytes) return error;
  return new TextDecoder().decode(bytes.subarray(0, mostErrorBytes), { stream: true });
}

function outcomeOf({ transition, startedAt, now, error }: EventWords): {
  readonly outcome?: Readonly<Record<string, unknown>>;
} {
  const { outcomes } = eventTransitions[transition];
  if (outcomes.length === 0) return {};
  const began = Date.parse(startedAt ?? now);
  return {
    outcome: {
      status: transition,
      ...(transition === "failed" && { error: cutError(error ?? "") }),
      duration_ms: Math.max(0, Date.parse(now) - began),
    },
  };
}
