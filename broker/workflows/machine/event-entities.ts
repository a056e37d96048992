import type { EventEntity } from "../../../shared/webhooks/accepts-event.ts";
import type { DeployRow } from "./deploy-rows.ts";
import type { ActionRunRow, BuildRow, Step, Workflow } from "./workflow-rows.ts";

type Labels = EventEntity["labels"];

/** What events of one workflow may be about, with their labels of now. */
export type EventThings = {
  /** Undefined where none owns it. */
  readonly install?:
    | {
        readonly id: string;
        readonly labels: Labels;
        /** The app's: they win over all others. */
        readonly app_default_labels: Labels;
      }
    | undefined;
  /** The labels of actions, by the action's id. */
  readonly actions: ReadonlyMap<string, Labels>;
  /** The labels of components that it builds, by the component's id. */
  readonly components?: ReadonlyMap<string, Labels>;
};

/** What a decision has come to, of which entities are told. */
type Decided = {
  readonly workflow: Workflow;
  readonly actionRuns: readonly ActionRunRow[];
  readonly builds: readonly BuildRow[];
  readonly deploys?: readonly DeployRow[];
  /** What of the install the same move changes. */
  readonly install: { readonly labels?: Labels; readonly labelTemplates?: Labels };
};

/** What an event of the workflow is about: its install and the action that it was asked to run, or the components that it was asked to build or deploy. */
export function entitiesOfWorkflow(things: EventThings, decided: Decided): EventEntity[] {
  const { run_id: runId } = decided.workflow.params;
  const run = decided.actionRuns.find(({ id }) => id === runId);
  const asked = decided.workflow.params["component_id"];
  const built = new Set([
    ...decided.builds.flatMap(({ component_id: id }) => id ?? []),
    ...(typeof asked === "string" ? [asked] : []),
  ]);
  return [
    ...installOf(things, decided),
    ...actionOf(things, run?.action_id),
    ...[...built].flatMap((id) => componentOf(things, id)),
  ];
}

/** What an event of a step is about: the install, the action that the step runs, and the component that it builds or deploys. */
export function entitiesOfStep(things: EventThings, decided: Decided, step: Step): EventEntity[] {
  const run = decided.actionRuns.find(({ id }) => id === step.target_id);
  const actionId = run?.action_id ?? step.params["action_id"];
  const [build] = [...decided.builds, ...(decided.deploys ?? [])].filter(
    ({ id }) => id === step.target_id,
  );
  const componentId = build === undefined ? step.params["component_id"] : build.component_id;
  return [
    ...installOf(things, decided),
    ...actionOf(things, actionId),
    ...(typeof componentId === "string" ? componentOf(things, componentId) : []),
  ];
}

/** With the labels that the same move gives it. */
function installOf({ install }: EventThings, { install: change }: Decided): EventEntity[] {
  if (install === undefined) return [];
  const { id, labels } = install;
  if (change.labels === undefined) return [{ kind: "installs", id, labels }];
  const kept = Object.entries(labels).filter(
    ([key]) => !Object.hasOwn(change.labelTemplates ?? {}, key),
  );
  const after = { ...Object.fromEntries(kept), ...change.labels, ...install.app_default_labels };
  return [{ kind: "installs", id, labels: after }];
}

function actionOf({ actions }: EventThings, id: unknown): EventEntity[] {
  if (typeof id !== "string") return [];
  return [{ kind: "actions", id, labels: actions.get(id) ?? {} }];
}

const componentOf = ({ components }: EventThings, id: string): EventEntity[] => [
  { kind: "components", id, labels: components?.get(id) ?? {} },
];
