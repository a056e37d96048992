import { planNames } from "../../shared/plans/plan-names.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { enqueueJobs } from "./enqueue-jobs.ts";
import { findPlan } from "./queries.ts";
import { requireJob } from "./read-job.ts";
import type { JobRow } from "./row.ts";

export type Rerun = {
  readonly jobId: string;
  readonly actorId: string;
  /** The same key makes one job, however often it comes. */
  readonly key?: string | undefined;
};

/** Enqueues a job like an old one, with the same plan; the old one stays as it is, whatever its status. */
export async function rerunJob(
  broker: Broker,
  org: OrgId,
  { jobId, actorId, key }: Rerun,
): Promise<{ readonly job: JobRow; readonly isReplay: boolean }> {
  const old = await requireJob(broker.db, org, jobId);
  const plan = await findPlan(broker, org, jobId);
  const { rows, isReplay } = await enqueueJobs(broker, {
    idempotency: key === undefined ? undefined : { key, request: JSON.stringify(["rerun", jobId]) },
    orgId: org,
    actorId,
    runnerId: old.runner_id,
    jobs: [
      {
        type: old.type,
        operation: old.operation,
        group: old.job_group,
        ownerId: old.owner_id,
        ownerType: old.owner_type,
        metadata: old.metadata,
        plan,
        planNames: plan === undefined ? undefined : planNames(JSON.parse(plan)),
        queueTimeout: old.queue_timeout,
        availableTimeout: old.available_timeout,
        executionTimeout: old.execution_timeout,
        overallTimeout: old.overall_timeout,
        maxExecutions: old.max_executions,
        rerunOf: old.id,
      },
    ],
  });
  const [made] = rows;
  if (made === undefined) throw new Error("one job was enqueued and none came back");
  return { job: made, isReplay };
}
