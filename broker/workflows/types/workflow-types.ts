import type { Workflow } from "../machine/workflow-rows.ts";
import { actionGroup, groupsOfTrigger } from "./action-groups.ts";
import { account, applied, group, healthy, runnerGone, state } from "./common-groups.ts";
import { allGroups, downGroups, sandboxGroups } from "./deploy-groups.ts";
import { deployTypes } from "./deploy-types.ts";
import type { Making, OrderedRun } from "./making.ts";
import { changedGroups, inputGroups } from "./update-groups.ts";
import type { WorkflowType } from "./workflow-type.ts";

const updating = { running: "updating", success: "active", failure: "degraded" } as const;
const newest = { which: "newest" } as const;

/** The types of workflows of installs. */
export const workflowTypes = {
  provision: {
    lane: "changes",
    config: "active",
    deploys: true,
    phase: { running: "provisioning", success: "active", failure: "error" },
    words: () => "Provision the install",
    groups: (making) => [
      group(state),
      group(account(making.facts.runner.id)),
      group(healthy(making.facts.runner.id, "user")),
      ...groupsOfTrigger(making, "pre-provision"),
      ...sandboxGroups(making, "provision"),
      ...groupsOfTrigger(making, "post-provision-sandbox"),
      ...allGroups(making, newest),
      ...groupsOfTrigger(making, "post-provision"),
    ],
  },
  reprovision: {
    lane: "changes",
    config: "active",
    deploys: true,
    phase: updating,
    words: () => "Reprovision the install",
    groups: (making) => [
      group(account(making.facts.runner.id)),
      group(state, healthy(making.facts.runner.id)),
      ...groupsOfTrigger(making, "pre-reprovision"),
      ...sandboxGroups(making, "reprovision"),
      ...allGroups(making, newest),
      ...groupsOfTrigger(making, "post-reprovision"),
    ],
  },
  deprovision: {
    lane: "changes",
    config: "applied",
    deploys: true,
    phase: { running: "deprovisioning", success: "deprovisioned", failure: "degraded" },
    words: () => "Deprovision the install",
    groups: (making) => [
      group(state),
      group(healthy(making.facts.runner.id)),
      ...groupsOfTrigger(making, "pre-deprovision"),
      ...downGroups(making),
      ...groupsOfTrigger(making, "pre-deprovision-sandbox"),
      ...sandboxGroups(making, "deprovision", { which: "there" }),
      ...groupsOfTrigger(making, "post-deprovision-sandbox"),
      ...groupsOfTrigger(making, "post-deprovision"),
      group(runnerGone(making.facts.runner.id)),
    ],
  },
  input_update: {
    lane: "changes",
    config: "applied",
    deploys: true,
    phase: updating,
    words: () => "Update the install's inputs",
    groups: (making) => [
      group(state),
      ...groupsOfTrigger(making, "pre-update-inputs"),
      ...inputGroups(making),
      ...groupsOfTrigger(making, "post-update-inputs"),
    ],
  },
  app_branch_config_update: {
    lane: "changes",
    config: "named",
    deploys: true,
    phase: updating,
    words: () => "Bring the install to a config of its app",
    groups: (making) => [
      group(state),
      group(healthy(making.facts.runner.id)),
      ...changedGroups(making),
      group(applied),
    ],
  },
  action_workflow_run: {
    lane: "actions",
    config: "named",
    words: ({ metadata }) => `Run ${metadata["action_name"] ?? "an action"}`,
    groups: (making) => [group(state), actionGroup(making, orderedRun(making))],
  },
  ...deployTypes,
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
