import { unlockTerraformWorkspaceRoute } from "../../../shared/api/terraform-state.ts";
import { lockHolder } from "./lock-holder.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";

const patienceMs = 5_000;

/**
 * Releases the lock that a plan of this job left when it was killed or could not unlock: it wrote nothing, and
 * terraform is gone. Does nothing when that is not certain, or when the lock is another's. Never rejects.
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
    job.log("The lock that the plan left was released.", "info", "plan", "lock given back");
  } catch (error) {
    // The broker releases it when the job is over, or blocks the workspace and says so.
    const told = { err: error, execution_id: job.executionId };
    job.agent.log.warn(told, "failed to release a plan's lock");
  }
}
