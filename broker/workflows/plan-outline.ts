import { hiddenValue } from "../../shared/hidden-value.ts";
import { actionPlan } from "../../shared/plans/action-plan.ts";
import { planNames } from "../../shared/plans/plan-names.ts";

/** What is kept of an action's plan beside it: the ids that it names, and its steps by the names that people may see. */
export type PlanOutline = {
  readonly names: readonly string[];
  readonly steps: readonly {
    readonly step_id: string;
    readonly name: string;
    readonly idx: number;
  }[];
};

/** Of a plan and its twin for people; without one the names of steps are hidden. */
export function outlineOf(plan: unknown, shown: unknown): PlanOutline {
  const { steps } = actionPlan.parse(shown ?? plan);
  return {
    names: planNames(plan),
    steps: (steps ?? []).map(({ run_id: id, name }, idx) => ({
      step_id: id ?? "",
      name: shown === undefined ? hiddenValue : (name ?? ""),
      idx,
    })),
  };
}

/** The same of their texts. */
export const outlineOfTexts = (text: string, shown: string | undefined): PlanOutline =>
  outlineOf(JSON.parse(text), shown === undefined ? undefined : JSON.parse(shown));
