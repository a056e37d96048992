import { unlockTerraformWorkspaceRoute } from "../../../shared/api/terraform-state.ts";
import { lockHolder } from "./lock-holder.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";

const patienceMs = 5_000;

/**
 * Gives back the lock that a plan of this job left, which was killed or could not unlock: it wrote nothing, and terraform
 * is gone. Nothing where that is not sure, or the lock is of anything else. Never rejects.
 */
export async function freePlanLock(context: TerraformContext, { end }: Ran): Promise<void> {
  if (end.why === "lost") return;
  const { job, run } = context;
  const holder = await lockHolder(context);
  if (holder?.runner_job_id !== job.info.id || holder.operation !== "OperationTypePlan") return;
  const { token } = job;
  const how = { scope: "job", giveUpAfterMs: patienceMs, timeoutMs: patienceMs, token } as const;
  const input = {
    params: { workspace_id: run.workspaceId },
    query: { job_id: job.info.id },
    body: { ID: holder.id },
  };
  try {
    await job.agent.client.call(unlockTerraformWorkspaceRoute, input, how);
    job.log("The lock that the plan left is given back.", "info", "plan", "lock given back");
  } catch (error) {
    // The broker frees it when the job is over, or blocks the workspace and says so.
    const told = { err: error, execution_id: job.executionId };
    job.agent.log.warn(told, "a plan's lock could not be given back");
  }
}
