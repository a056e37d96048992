import { faultOf } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";

/**
 * What is wrong where somebody asked for a role: an install without a stack has none. What a config has for its actions and components
 * asks nobody: these run as the install's runner.
 */
export function roleFault({
  workflow: { role, params },
}: Pick<WorkflowDraft, "workflow">): CompositeFault | undefined {
  const isOfConfig = params["trigger"] === "cron"; // a tick has its action's role
  if (role === "" || isOfConfig) return undefined;
  return faultOf(
    "role_unavailable",
    "The role is not there",
    `Roles of installs come with stacks, and this install has none: its jobs run as its runner. Begin it again without the role ${role}.`,
    { retryable: false },
  );
}
