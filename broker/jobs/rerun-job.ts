import { planNames } from "../../shared/plans/plan-names.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { LargeText } from "../seals/large-text.ts";
import { type OpeningParts, openLarge, wholeOf } from "../seals/open-large.ts";
import type { Actor } from "../tokens/actor.ts";
import { type EnqueuedJob, enqueueJob } from "./enqueue-job.ts";
import type { EnqueueingBroker } from "./enqueue-jobs.ts";
import type { NewJob } from "./new-job.ts";
import { findPlanNames, findPlanToSend } from "./queries.ts";
import { requireJob } from "./read-job.ts";
import { refuseOfWorkflow } from "./refuse-of-workflow.ts";
import { requireInstallRights, requireInstallRunner } from "./require-install-rights.ts";
import { requireOrderRights } from "./require-order-rights.ts";

/** The parts to enqueue a job, and to open the plan of an old one. */
export type RerunningBroker = EnqueueingBroker & OpeningParts;

export type Rerun = {
  readonly jobId: string;
  readonly actor: Pick<Actor, "bound" | "id" | "orgId" | "permissions">;
  /** The same key makes one job, however often it comes. */
  readonly key?: string | undefined;
};

/** Enqueues a job like an old one, with the same plan; the old one stays as it is, whatever its status. 409 for one of a workflow. */
export async function rerunJob(
  broker: RerunningBroker,
  { jobId, actor, key }: Rerun,
): Promise<EnqueuedJob> {
  const { orgId } = actor;
  const old = await requireJob(broker.db, orgId, jobId);
  await refuseOfWorkflow(broker.db, orgId, jobId);
  requireOrderRights(actor, [old.type]);
  const runnerId = old.runner_id;
  await requireInstallRunner(broker.db, actor, runnerId);
  const { plan, names = [] } = await planAgain(broker, orgId, jobId);
  await requireInstallRights(broker.db, actor, { runnerId, names });
  return await enqueueJob(broker, {
    idempotency: key === undefined ? undefined : { key, request: JSON.stringify(["rerun", jobId]) },
    orgId,
    actorId: actor.id,
    runnerId,
    job: {
      type: old.type,
      operation: old.operation,
      group: old.job_group,
      ownerId: old.owner_id,
      ownerType: old.owner_type,
      metadata: old.metadata,
      plan,
      planNames: names,
      queueTimeout: old.queue_timeout,
      availableTimeout: old.available_timeout,
      executionTimeout: old.execution_timeout,
      overallTimeout: old.overall_timeout,
      maxExecutions: old.max_executions,
      rerunOf: old.id,
    },
  });
}

type PlanAgain = { readonly plan?: NewJob["plan"]; readonly names?: NewJob["planNames"] };

/** The old plan, and the names in it. A long plan is not parsed again for them. */
async function planAgain(broker: RerunningBroker, org: OrgId, jobId: string): Promise<PlanAgain> {
  const plan = await findPlanToSend(broker, org, jobId);
  if (plan === undefined) return {};
  if (typeof plan === "string") return { plan, names: planNames(JSON.parse(plan)) };
  const names = await findPlanNames(broker.db, org, jobId);
  const whole = await wholeOf(await openLarge(broker, plan));
  return {
    plan: new LargeText([whole]),
    names: names ?? planNames(JSON.parse(Buffer.from(whole.buffer).toString("utf8"))), // of the version before
  };
}
