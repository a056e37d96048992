import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { GivenExecution, GivenRunner } from "../rows/given.ts";

/** A job that a third-party runner takes by name, for whichever of these processes it may be. */
export async function claimByName(
  db: Db,
  { orgId, runnerId }: GivenRunner,
  jobId: string,
  liveProcesses: string[],
): Promise<GivenExecution> {
  const executionId = newId("exe");
  const claimed = await db`
    select execution_id from claim_job(${orgId}, ${runnerId}, ${jobId}, ${executionId}, ${liveProcesses}::text[])`;
  if (claimed.length === 0) throw new Error(`job ${jobId} could not be claimed`);
  return { jobId, executionId };
}
