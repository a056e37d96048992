import type { ConfigReads } from "../../../shared/app-config/config-reads.ts";
import { driftWorkflows } from "../../../shared/webhooks/event-resources.ts";
import { readsWithArtifacts } from "../../deploys/reads-with-artifacts.ts";
import { actionStep, approveStep } from "../kinds/action-steps.ts";
import { applyStep } from "../kinds/apply-step.ts";
import { checkStep } from "../kinds/check-step.ts";
import { childrenStep } from "../kinds/children-step.ts";
import { imageStep } from "../kinds/image-step.ts";
import type { KindEnvironment } from "../kinds/kind-environment.ts";
import { planStep } from "../kinds/plan-step.ts";
import { accountStep, appliedStep, healthyStep, runnerGoneStep } from "../kinds/runner-steps.ts";
import { secretsStep } from "../kinds/secrets-step.ts";
import { stateStep } from "../kinds/state-step.ts";
import type { Machine, PlannedGroup, StepKind } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";
import type { WorkflowType } from "./workflow-type.ts";
import { workflowType } from "./workflow-types.ts";

/** The kinds of steps, each by its word in the database. */
const stepKinds: Readonly<Record<string, (env: KindEnvironment) => StepKind>> = {
  state: stateStep,
  account: accountStep,
  healthy: () => healthyStep,
  approve: approveStep,
  action: actionStep,
  applied: () => appliedStep,
  "runner-gone": runnerGoneStep,
  children: () => childrenStep,
  "sbx-plan": planStep,
  "sbx-apply": applyStep,
  check: checkStep,
  plan: planStep,
  apply: applyStep,
  "td-plan": planStep,
  "td-apply": applyStep,
  image: imageStep,
  secrets: secretsStep,
};

/** What moves workflows of one install, as it is now. */
export function installMachine(env: KindEnvironment, refusal?: Machine["refusal"]): Machine {
  const made = new Map<string, StepKind>();
  return {
    refusal,
    isSuperseded: (draft) => isSuperseded(env, draft),
    isBehindAnother: (draft) => phaseOf(draft) !== undefined && draft.snapshot.has_waiting,
    isOrphaned: env.facts.install.deleted_at !== null,
    kindOf({ kind }) {
      const known = made.get(kind);
      if (known !== undefined) return known;
      const make = stepKinds[kind];
      if (make === undefined) throw new Error(`there are no steps of kind ${kind}`);
      const fresh = make(env);
      made.set(kind, fresh);
      return fresh;
    },
    generate: (draft) => generateGroups(env, draft),
    began(draft) {
      const phase = phaseOf(draft);
      if (phase !== undefined) draft.install.phase = phase.running;
    },
    ended(draft) {
      const { workflow } = draft;
      if (isSuperseded(env, draft)) return;
      if (workflow.started_at === null || workflow.plan_only) return;
      const isGood = workflow.status === "success";
      const phase = phaseOf(draft);
      if (phase !== undefined) draft.install.phase = isGood ? phase.success : phase.failure;
      const { phase: changes } = workflowType(workflow.type);
      if (
        isGood &&
        changes !== undefined &&
        workflow.type !== "deprovision" &&
        workflow.app_config_id !== null
      ) {
        draft.install.appliedConfigId = workflow.app_config_id;
        draft.install.healthOf = healthChecksOf(env);
      }
      if (isGood && workflow.params["deletes"] === true) draft.install.isDeleted = true;
    },
  };
}

/** The groups of a workflow by its type, or why it can no more be done. */
function generateGroups(
  env: KindEnvironment,
  draft: WorkflowDraft,
): readonly PlannedGroup[] | CompositeFault {
  const { workflow } = draft;
  workflow.app_config_id = env.facts.configId;
  const type = workflowType(workflow.type);
  let reads: ConfigReads | undefined;
  const making = {
    facts: env.facts,
    workflow,
    deploys: env.deploys,
    reads: () =>
      (reads ??= readsWithArtifacts(
        env.readsOf(env.facts.configId),
        env.deploys?.components ?? [],
      )),
    readsOf: env.readsOf,
    newId: draft.newId,
  };
  const refusal = type.refusal?.(making);
  if (refusal !== undefined) return refusal;
  return type
    .groups(making)
    .map((group) => (workflow.plan_only ? planOf(group) : group))
    .map((group) => (driftWorkflows.includes(workflow.type) ? endingOf(group) : group))
    .filter(({ steps }) => steps.length > 0);
}

/** The kinds of steps that change something. */
const changing: readonly string[] = [
  "approve",
  "action",
  "applied",
  "runner-gone",
  "sbx-apply",
  "apply",
  "td-apply",
  "image",
];

/** What is left of a group where nothing is to be changed. */
const planOf = (group: PlannedGroup): PlannedGroup => ({
  ...group,
  steps: group.steps.filter(({ kind }) => !changing.includes(kind)),
});

/** A look for drift that fails waits for nobody: the next one would wait for it. */
const endingOf = (group: PlannedGroup): PlannedGroup => ({
  ...group,
  steps: group.steps.map((step) => ({
    ...step,
    params: { ...step.params, ends_on_failure: true, retryable: false },
  })),
});

const healthChecksOf = ({ facts: { config } }: KindEnvironment): string[] =>
  (config.actions ?? []).flatMap(({ name, is_healthcheck: is }) => (is === true ? [name] : []));

/** What it tells of the install's phase: a part of another change tells nothing, as that one does. */
const phaseOf = ({ workflow }: WorkflowDraft): WorkflowType["phase"] =>
  workflow.plan_only || workflow.shares_place ? undefined : workflowType(workflow.type).phase;

/** Something that it deployed, or was to, was deployed by another since it began. */
const hasNewerDeploy = ({ deploys, targets, workflow }: WorkflowDraft): boolean =>
  targets.some(({ id: target, deployed_id: deployed, deployed_at: at }) => {
    const own = deploys.filter((one) => one.target_id === target && !one.plan_only);
    if (deployed === null || own.length === 0 || own.some(({ id }) => id === deployed))
      return false;
    return Date.parse(at ?? "") > Date.parse(workflow.started_at ?? "");
  });

/** It is about the install's phase, and another one is the last that was. */
const isSuperseded = ({ facts }: KindEnvironment, draft: WorkflowDraft): boolean =>
  hasNewerDeploy(draft) ||
  (phaseOf(draft) !== undefined &&
    draft.workflow.started_at !== null &&
    draft.install.phase === undefined &&
    facts.install.phase_workflow_id !== draft.workflow.id);
