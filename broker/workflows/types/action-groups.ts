import type { actionTriggerTypes } from "../../../shared/action-triggers.ts";
import type { ActionConfigPart } from "../../actions/action-plan.ts";
import type { PlannedGroup, PlannedStep } from "../machine/step-kind.ts";
import type { Making, OrderedRun } from "./making.ts";

/** The actions that this begins, one after the other by their index, then by name; those that want an approval in groups of their own. */
export function groupsOfTrigger(
  making: Making,
  trigger: (typeof actionTriggerTypes)[number],
): PlannedGroup[] {
  const groups: PlannedGroup[] = [];
  let open: PlannedStep[] = [];
  for (const action of actionsWith(making, trigger)) {
    const wantsApproval = action.approval === true;
    const run = { name: action.name, trigger, runId: making.newId("awr"), wantsApproval };
    const made = actionGroup(making, run);
    if (wantsApproval) {
      groups.push(...closed(trigger, open), made);
      open = [];
    } else open.push(...made.steps);
  }
  return [...groups, ...closed(trigger, open)];
}

const closed = (name: string, steps: readonly PlannedStep[]): PlannedGroup[] =>
  steps.length === 0 ? [] : [{ name, steps }];

function actionsWith({ facts }: Making, trigger: string): ActionConfigPart[] {
  const indexOf = ({ triggers = [] }: ActionConfigPart): number =>
    triggers.find(({ type }) => type === trigger)?.index ?? 0;
  return (facts.config.actions ?? [])
    .filter(({ triggers = [] }) => triggers.some(({ type }) => type === trigger))
    .sort((a, b) => indexOf(a) - indexOf(b) || (a.name < b.name ? -1 : 1));
}

/** One run: with the approval before it, if its action wants one. */
export function actionGroup(
  { facts }: Making,
  { name, trigger, runId, wantsApproval }: OrderedRun,
): PlannedGroup {
  const known = trigger === "adhoc" ? undefined : facts.actions.find((one) => one.name === name);
  const step = (kind: "approve" | "action", stepName: string): PlannedStep => ({
    kind,
    name: stepName,
    execution_type: kind === "approve" ? "approval" : trigger === "adhoc" ? "user" : "system",
    params: {
      action: name,
      trigger,
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
