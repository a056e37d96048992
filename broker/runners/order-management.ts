import { secondNs } from "../../shared/duration.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import { type EnqueuedJob, enqueueJob } from "../jobs/enqueue-job.ts";
import type { EnqueueingBroker } from "../jobs/enqueue-jobs.ts";
import type { Actor } from "../tokens/actor.ts";

export type ManagementOrder = Extract<RunnerJobType, `mng-${string}`>;

type Ordered = {
  readonly runnerId: string;
  readonly type: ManagementOrder;
  /** The same key makes one job, however often it comes. */
  readonly key: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** When it is given up, waiting or running; undefined: after an hour. */
  readonly deadlineNs: number | undefined;
};

/** Running jobs are finished first, and a new version has to show that it works. But nobody is surprised by an old order. */
const hourNs = 60 * 60 * secondNs;

/** Enqueues a job for the management process of a runner, which owns the job itself. */
export async function orderManagement(
  broker: EnqueueingBroker,
  actor: Pick<Actor, "id" | "orgId">,
  { runnerId, type, key, metadata, deadlineNs = hourNs }: Ordered,
): Promise<EnqueuedJob> {
  return await enqueueJob(broker, {
    idempotency:
      key === undefined
        ? undefined
        : { key, request: JSON.stringify([runnerId, type, metadata, deadlineNs]) },
    orgId: actor.orgId,
    actorId: actor.id,
    runnerId,
    job: {
      type,
      operation: "exec",
      ownerId: runnerId,
      ownerType: "runners",
      metadata,
      executionTimeout: deadlineNs,
      queueTimeout: deadlineNs,
      overallTimeout: deadlineNs,
    },
  });
}
