import type { lifecyclePhases } from "../../../shared/api/install.ts";
import type { PlannedGroup } from "../machine/step-kind.ts";
import type { Workflow } from "../machine/workflow-rows.ts";
import { actionGroup, groupsOfTrigger } from "./action-groups.ts";
import type { Making, OrderedRun } from "./making.ts";

type Phase = (typeof lifecyclePhases)[number];

/** What a type of workflows does to its install: a row of a table, to which later types are added. */
export type WorkflowType = {
  /** In which lane it waits for others. */
  readonly lane: "changes" | "plans" | "actions";
  /** Of which config it is made: the app's active one, the one that it names, or the one that the install has. */
  readonly config: "active" | "named" | "applied";
  /** The install's phase while it runs, and after it ended well or not. */
  readonly phase?: { readonly running: Phase; readonly success: Phase; readonly failure: Phase };
  readonly words: (workflow: Pick<Workflow, "metadata">) => string;
  /** Its groups of steps. Those without steps are left out. */
  readonly groups: (making: Making) => readonly PlannedGroup[];
};

const state = {
  kind: "state",
  name: "generate install state",
  target_type: "install_states",
  target_id: "",
};
const account = (runnerId: string) => ({
  kind: "account",
  name: "provision runner service account",
  params: { skippable: true },
  target_type: "runners",
  target_id: runnerId,
});
const healthy = (runnerId: string, execution_type: "system" | "user" = "system") => ({
  kind: "healthy",
  name: "runner healthy",
  execution_type,
  params: { skippable: true },
  target_type: "runners",
  target_id: runnerId,
});
const group = (...steps: PlannedGroup["steps"]): PlannedGroup => ({
  name: steps.map(({ name }) => name).join(", "),
  steps,
});

/** The types of workflows of installs, of apps that have neither a sandbox nor components. */
export const workflowTypes = {
  provision: {
    lane: "changes",
    config: "active",
    phase: { running: "provisioning", success: "active", failure: "error" },
    words: () => "Provision the install",
    groups: (making) => [
      group(state),
      group(account(making.facts.runner.id)),
      group(healthy(making.facts.runner.id, "user")),
      ...groupsOfTrigger(making, "pre-provision"),
      ...groupsOfTrigger(making, "post-provision"),
    ],
  },
  reprovision: {
    lane: "changes",
    config: "active",
    phase: { running: "updating", success: "active", failure: "degraded" },
    words: () => "Reprovision the install",
    groups: (making) => [
      group(account(making.facts.runner.id)),
      group(state, healthy(making.facts.runner.id)),
      ...groupsOfTrigger(making, "pre-reprovision"),
      ...groupsOfTrigger(making, "post-reprovision"),
    ],
  },
  deprovision: {
    lane: "changes",
    config: "applied",
    phase: { running: "deprovisioning", success: "deprovisioned", failure: "degraded" },
    words: () => "Deprovision the install",
    groups: (making) => [
      group(state),
      group(healthy(making.facts.runner.id)),
      ...groupsOfTrigger(making, "pre-deprovision"),
      ...groupsOfTrigger(making, "post-deprovision"),
      group({
        kind: "runner-gone",
        name: "runner deprovisioned",
        params: { skippable: true },
        target_type: "runners",
        target_id: making.facts.runner.id,
      }),
    ],
  },
  input_update: {
    lane: "changes",
    config: "applied",
    phase: { running: "updating", success: "active", failure: "degraded" },
    words: () => "Update the install's inputs",
    groups: (making) => [
      group(state),
      ...groupsOfTrigger(making, "pre-update-inputs"),
      ...groupsOfTrigger(making, "post-update-inputs"),
    ],
  },
  app_branch_config_update: {
    lane: "changes",
    config: "named",
    phase: { running: "updating", success: "active", failure: "degraded" },
    words: () => "Bring the install to a config of its app",
    groups: (making) => [
      group(state),
      group(healthy(making.facts.runner.id)),
      group({
        kind: "applied",
        name: "apply the config",
        target_type: "install_workflow_steps",
        target_id: "",
      }),
    ],
  },
  action_workflow_run: {
    lane: "actions",
    config: "named",
    words: ({ metadata }) => `Run ${metadata["action_name"] ?? "an action"}`,
    groups: (making) => [group(state), actionGroup(making, orderedRun(making))],
  },
} as const satisfies Readonly<Record<string, WorkflowType>>;
export type WorkflowTypeName = keyof typeof workflowTypes;

/** The row of a type; a workflow of another one is a bug. */
export function workflowType(type: string): WorkflowType {
  if (!Object.hasOwn(workflowTypes, type))
    throw new Error(`there are no workflows of type ${type}`);
  return workflowTypes[type as WorkflowTypeName]; // it is one of them
}

/** What workflows of apps do, in words. */
const wordsOfApps: Readonly<Record<string, WorkflowType["words"]>> = {
  app_config_build: ({ metadata: { component_name: name } }) =>
    name === undefined ? "Build the app's components" : `Build ${name}`,
};

/** What a workflow does, in words; also of events that no workflow wrote. */
export function wordsOfWorkflow({ type, metadata }: Pick<Workflow, "type" | "metadata">): string {
  const ofApp = wordsOfApps[type];
  if (ofApp !== undefined) return ofApp({ metadata });
  if (Object.hasOwn(workflowTypes, type)) return workflowType(type).words({ metadata });
  const words = type.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The run that somebody asked for: its row is there already. */
function orderedRun({ facts, workflow }: Making): OrderedRun {
  const { run_id: runId, trigger, action_name: name, approval } = workflow.params;
  const found = facts.config.actions?.find((one) => one.name === name);
  const wantsApproval = trigger === "adhoc" ? approval === true : found?.approval === true;
  return { name: String(name), trigger: String(trigger), runId: String(runId), wantsApproval };
}
