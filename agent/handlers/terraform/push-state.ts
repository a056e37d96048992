import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  lockTerraformWorkspaceRoute,
  unlockTerraformWorkspaceRoute,
  writeTerraformStateRoute,
} from "../../../shared/api/terraform-state.ts";
import type { Job } from "../../jobs/handler.ts";
import type { RescuedState } from "../../spool/rescued-states.ts";

const patienceMs = 30_000;

/**
 * Saves a state as terraform would: under a lock, and only as the successor of the current one, which the broker
 * checks. False when it was not accepted.
 */
export async function pushState(job: Job, state: RescuedState): Promise<boolean> {
  const { client, log } = job.agent;
  const { workspace_id, job_id, bytes } = state;
  const { token } = job;
  const how = { scope: "job", giveUpAfterMs: patienceMs, signal: job.killSignal, token } as const;
  const at = { params: { workspace_id }, query: { job_id } };
  const lock = {
    ID: randomUUID(),
    Operation: "svc-agent: a state that terraform could not save",
    Who: `svc-agent@${hostname()}`,
    Created: new Date().toISOString(),
  };
  try {
    await client.call(lockTerraformWorkspaceRoute, { ...at, body: lock }, how);
  } catch (error) {
    log.warn(
      { err: error, execution_id: job.executionId },
      "failed to lock the workspace for a state",
    );
    return false;
  }
  try {
    const query = { workspace_id, job_id, ID: lock.ID };
    const headers = { "content-md5": createHash("md5").update(bytes).digest("base64") };
    await client.call(writeTerraformStateRoute, { query, headers }, { ...how, bytes });
    return true;
  } catch (error) {
    log.warn({ err: error, execution_id: job.executionId }, "the broker did not accept a state");
    return false;
  } finally {
    await client.call(unlockTerraformWorkspaceRoute, { ...at, body: lock }, how).catch(() => {});
  }
}
