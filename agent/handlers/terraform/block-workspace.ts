import { blockWorkspaceRoute } from "../../../shared/api/terraform-workspaces.ts";
import type { Job } from "../../jobs/handler.ts";

type Block = { readonly workspaceId: string; readonly kind: string; readonly detail: string };

const patienceMs = 20_000;

/**
 * Blocks a workspace that a job leaves half changed; answers whether it is. The broker does this too once it has the result; until
 * then nobody else should get the lock.
 */
export async function blockWorkspace(
  job: Job,
  { workspaceId, kind, detail }: Block,
): Promise<boolean> {
  const params = { workspace_id: workspaceId };
  const reason = `${job.info.id}: ${job.redact(detail)}`.slice(0, 1_900).toWellFormed();
  try {
    const { token } = job;
    const how = { scope: "job", giveUpAfterMs: patienceMs, timeoutMs: patienceMs, token } as const;
    await job.agent.client.call(blockWorkspaceRoute, { params, body: { reason, kind } }, how);
    return true;
  } catch (error) {
    const told = { err: error, execution_id: job.executionId };
    job.agent.log.error(told, "failed to block a workspace");
    return false;
  }
}
