import { isEndedBuild } from "../../shared/build-statuses.ts";
import { problem } from "../../shared/problem.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { cancelWorkflow, cancelWorkflowStep } from "../workflows/control-workflow.ts";
import type { MovingBroker } from "../workflows/move-workflow.ts";
import { requireSnapshot } from "../workflows/show-workflow.ts";
import type { ShownBuildRow } from "./build-rows.ts";

/** Cancels a build; those that were asked for with it go on. 409 for one that has ended. */
export async function cancelBuild(
  broker: MovingBroker,
  org: OrgId,
  { id, status, workflow_id: workflowId }: ShownBuildRow,
): Promise<void> {
  if (isEndedBuild(status))
    throw problem.conflict("build_final", `This build has ended: it is ${status}.`);
  const { builds, steps } = await requireSnapshot(broker.db, org, workflowId);
  if (builds.length === 1) {
    await cancelWorkflow(broker, org, workflowId);
    return;
  }
  const step = steps.findLast(({ target_id: target, is_retried: left }) => target === id && !left);
  if (step === undefined) {
    const detail = `This build waits with ${builds.length - 1} others for a turn. Cancel their workflow ${workflowId}, or wait until they begin.`;
    throw problem.conflict("build_waits", detail);
  }
  await cancelWorkflowStep(broker, org, { id: workflowId, stepId: step.id });
}
