import { getWorkspaceLockRoute } from "../../../shared/api/terraform-workspaces.ts";
import type { TerraformContext } from "./terraform-context.ts";

/** The holder of a workspace's lock; terraform itself only reports the lock's id. */
export type LockHolder = {
  readonly id: string;
  readonly who: string;
  readonly operation: string;
  readonly created: string;
  readonly runner_job_id?: string;
};

const patienceMs = 5_000;

/** The holder of the job's workspace; undefined when nobody holds it, or when the broker does not answer. */
export async function lockHolder({ job, run }: TerraformContext): Promise<LockHolder | undefined> {
  const { token } = job;
  const params = { workspace_id: run.workspaceId };
  const how = { scope: "job", giveUpAfterMs: patienceMs, timeoutMs: patienceMs, token } as const;
  try {
    const { body } = await job.agent.client.call(getWorkspaceLockRoute, { params }, how);
    const { id, who, operation, created } = body.lock;
    const { runner_job_id } = body;
    return { id, who, operation, created, ...(runner_job_id !== null && { runner_job_id }) };
  } catch {
    return undefined; // released meanwhile, or the broker is unreachable
  }
}
