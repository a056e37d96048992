import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { Broker } from "../broker.ts";
import { enqueueJobs } from "../jobs/enqueue-jobs.ts";
import type { JobRow } from "../jobs/row.ts";
import type { Actor } from "../tokens/actor.ts";

export type ManagementOrder = Extract<RunnerJobType, `mng-${string}`>;

/** Enqueues a job for the management process of a runner, which owns the job itself. */
export async function orderManagement(
  broker: Broker,
  actor: Pick<Actor, "id" | "orgId">,
  { runnerId, type }: { readonly runnerId: string; readonly type: ManagementOrder },
): Promise<JobRow> {
  const { rows } = await enqueueJobs(broker, {
    orgId: actor.orgId,
    actorId: actor.id,
    runnerId,
    jobs: [{ type, operation: "exec", ownerId: runnerId, ownerType: "runners" }],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("one job was enqueued and none came back");
  return row;
}
