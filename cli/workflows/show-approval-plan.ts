import { getApprovalContentsRoute } from "../../shared/api/control-workflows.ts";
import type { ShownApproval } from "../../shared/api/workflow.ts";
import { readPlanView } from "../../shared/plan-view/plan-view.ts";
import type { CommandCall } from "../command.ts";
import { planViewText } from "../output/plan-view-text.ts";

/** Shows what an approval is asked for: the changes of a plan, or the masked plan of an action's job. */
export async function showApprovalPlan(
  { call, screen }: Pick<CommandCall, "call" | "screen">,
  approval: ShownApproval,
): Promise<void> {
  const { body } = await call(getApprovalContentsRoute, { params: approvalParams(approval) });
  const view = readPlanView(body);
  screen.say(`${approval.step_name}, digest ${approval.plan_digest}:`);
  if (view === undefined) screen.say(JSON.stringify(body, null, 2));
  else screen.say(planViewText(view, process.stderr.columns || usualWidth));
}

/** Where nobody says how wide a line may be. */
const usualWidth = 120;

/** What names an approval in a path. */
export const approvalParams = (approval: ShownApproval) => ({
  workflow_id: approval.workflow_id,
  step_id: approval.workflow_step_id,
  approval_id: approval.id,
});
