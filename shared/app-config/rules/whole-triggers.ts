import { actionTriggerTypes, isComponentTrigger } from "../../action-triggers.ts";
import { type Rule, tablesAt, tablesOf, textIn } from "./rule.ts";

const types: readonly string[] = actionTriggerTypes;

/** What a trigger needs besides its type. */
export const wholeTriggers: Rule = (tree, tell) => {
  for (const kind of ["actions", "runbooks"]) {
    for (const trigger of tablesAt(tree, kind).flatMap((one) => tablesOf(one, "triggers"))) {
      const type = textIn(trigger, "type") ?? "";
      if (!types.includes(type)) continue;
      const needs = (member: string, isNeeded: boolean): void => {
        const isThere = trigger.value[member] !== undefined;
        if (isNeeded && !isThere)
          tell(trigger.path, "missing_key", `${member} is missing: a trigger ${type} needs it`);
        if (!isNeeded && isThere)
          tell(
            [...trigger.path, member],
            "bad_value",
            `${member} does not go with a trigger ${type}`,
          );
      };
      needs("cron_schedule", type === "cron");
      needs("component_name", isComponentTrigger(type));
    }
  }
};
