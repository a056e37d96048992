import type { PlannedGroup } from "../machine/step-kind.ts";
import { groupsOfTrigger } from "./action-groups.ts";
import { group } from "./common-groups.ts";
import type { Making } from "./making.ts";

const sync = {
  kind: "secrets",
  name: "sync secrets",
  target_type: "install_workflow_steps",
  target_id: "",
};

/** The sync of secrets, between the actions before and after it; nothing where the config has none. */
export function secretsGroups(making: Making): PlannedGroup[] {
  if ((making.facts.config.secrets?.secret ?? []).length === 0) return [];
  return [
    ...groupsOfTrigger(making, "pre-secrets-sync"),
    group(sync),
    ...groupsOfTrigger(making, "post-secrets-sync"),
  ];
}
