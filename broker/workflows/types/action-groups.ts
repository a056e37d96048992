import type { actionTriggerTypes } from "../../../shared/action-triggers.ts";
import { nameKey } from "../../../shared/app-config/rules/rule.ts";
import type { ActionConfigPart } from "../../actions/action-plan.ts";
import { needsOf } from "../../deploys/deploy-rules.ts";
import type { PlannedGroup, PlannedStep } from "../machine/step-kind.ts";
import type { Making, OrderedRun } from "./making.ts";

type Trigger = (typeof actionTriggerTypes)[number];

/**
 * The actions that this begins, one after the other by their index, then by name; those that want an approval in groups of their own.
 * Some triggers are about a component.
 */
export function groupsOfTrigger(
  making: Making,
  trigger: Trigger,
  component?: string,
): PlannedGroup[] {
  const groups: PlannedGroup[] = [];
  let open: PlannedStep[] = [];
  for (const action of actionsWith(making, trigger, component)) {
    const wantsApproval = action.approval === true;
    const run = { name: action.name, trigger, runId: making.newId("awr"), wantsApproval };
    const made = actionGroup(making, run, component);
    if (wantsApproval) {
      groups.push(...closed(trigger, open), made);
      open = [];
    } else open.push(...made.steps);
  }
  return [...groups, ...closed(trigger, open)];
}

const closed = (name: string, steps: readonly PlannedStep[]): PlannedGroup[] =>
  steps.length === 0 ? [] : [{ name, steps }];

function actionsWith(
  { facts }: Making,
  trigger: Trigger,
  component: string | undefined,
): ActionConfigPart[] {
  const found = (facts.config.actions ?? []).flatMap((action) => {
    const by = (action.triggers ?? []).find(
      ({ type, component_name: of }) =>
        type === trigger && (component === undefined || nameKey(of ?? "") === nameKey(component)),
    );
    return by === undefined ? [] : [{ action, index: by.index ?? 0 }];
  });
  return found
    .sort((a, b) => a.index - b.index || (a.action.name < b.action.name ? -1 : 1))
    .map(({ action }) => action);
}

/** Groups that come before and after others, in one with them where nobody has to approve them. */
export function withTriggers(
  making: Making,
  {
    pre,
    post,
    component,
  }: { readonly pre: Trigger; readonly post: Trigger; readonly component: string },
  group: PlannedGroup,
): PlannedGroup[] {
  const before = groupsOfTrigger(making, pre, component);
  const after = groupsOfTrigger(making, post, component);
  const first = isOpen(before.at(-1)) ? before.pop() : undefined;
  const last = isOpen(after[0]) ? after.shift() : undefined;
  const steps = [...(first?.steps ?? []), ...group.steps, ...(last?.steps ?? [])];
  return [...before, { ...group, steps }, ...after];
}

const isOpen = (group: PlannedGroup | undefined): boolean =>
  group !== undefined && group.steps.every(({ kind }) => kind !== "approve");

/** One run: with the approval before it, if its action wants one. */
export function actionGroup(
  { facts, reads }: Making,
  { name, trigger, runId, wantsApproval }: OrderedRun,
  component?: string,
): PlannedGroup {
  const known = trigger === "adhoc" ? undefined : facts.actions.find((one) => one.name === name);
  const step = (kind: "approve" | "action", stepName: string): PlannedStep => ({
    kind,
    name: stepName,
    execution_type: kind === "approve" ? "approval" : trigger === "adhoc" ? "user" : "system",
    params: {
      action: name,
      trigger,
      ...(component !== undefined && {
        of_component: component,
        depends_on: needsOf(reads(), component),
      }),
      ...(known && { action_id: known.action_id, action_config_id: known.action_config_id }),
      ...(kind === "action" && { skippable: true }),
      ...(kind === "action" && trigger.startsWith("post-") && { skip_on_failure: true }),
      ...(wantsApproval && { retries_group: true }),
    },
    target_type: "install_action_workflow_runs",
    target_id: runId,
  });
  const run = step("action", `${name} action run (${trigger})`);
  const steps = wantsApproval ? [step("approve", `approve ${name}`), run] : [run];
  return { name: `${name} (${trigger})`, steps };
}
