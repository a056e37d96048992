import { planWorkspaces } from "../../shared/plans/plan-workspaces.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { requireJob } from "../jobs/read-job.ts";
import { plannedJobs } from "../planned-jobs/planned-jobs.ts";
import type { Actor } from "../tokens/actor.ts";
import { findWorkspace, isGroupInSandbox } from "./queries.ts";

/** A workspace within the caller's reach, and the job on whose behalf the caller is here. */
export type Reached = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  readonly executionId: string | null;
  /** Its job only simulates: it may write without a lock. */
  readonly isSandbox: boolean;
  /** Its job keeps Pulumi's state there, which no check for terraform's is true of. */
  readonly isPulumi: boolean;
};

type Asked = {
  readonly workspaceId: string;
  readonly jobId?: string | undefined;
  /** Only where Pulumi keeps its state. */
  readonly isPulumi?: boolean;
};
type Parts = Pick<Broker, "db" | "seals">;

/**
 * The workspace; 404 for one that is not there and, for a runner's or a job's token, for one that no plan of
 * its own jobs names: those that run, are being stopped, or ended in the last ten minutes. For a person 404 when
 * the job is none of the org.
 */
export async function reachWorkspace(
  broker: Parts,
  actor: Actor,
  { workspaceId, jobId, isPulumi = false }: Asked,
): Promise<Reached> {
  const { db } = broker;
  const workspace = await findWorkspace(db, actor.orgId, workspaceId);
  if (workspace === undefined) throw problem.notFound("workspace");
  const { executionId } = actor;
  if (actor.runnerId === null) {
    if (jobId !== undefined) await requireJob(db, actor.orgId, jobId);
    return { workspaceId, jobId: jobId ?? null, executionId, isSandbox: false, isPulumi };
  }
  for await (const job of plannedJobs(broker, actor, { name: workspaceId, jobId })) {
    const { ids, pulumiIds, isSandbox } = planWorkspaces(job.plan, job.type);
    if (!(isPulumi ? pulumiIds : ids).includes(workspaceId)) continue;
    return {
      workspaceId,
      jobId: job.id,
      executionId,
      isPulumi: pulumiIds.includes(workspaceId),
      isSandbox: isSandbox || (await isGroupInSandbox(db, actor.orgId, job.runner_id)),
    };
  }
  throw problem.notFound("workspace");
}
