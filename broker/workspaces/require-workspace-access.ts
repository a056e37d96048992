import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { requireJob } from "../jobs/read-job.ts";
import { findFinishedPlanner, type NamingJob, namingJobs } from "../plan-scope/jobs-in-scope.ts";
import { requireOwnState } from "../plan-scope/require-own-state.ts";
import type { Actor } from "../tokens/actor.ts";
import { findWorkspace, isGroupInSandbox } from "./queries.ts";

/** A workspace that the caller may access, and the job on whose behalf it asks. */
export type WorkspaceAccess = {
  readonly workspaceId: string;
  readonly jobId: string | null;
  readonly executionId: string | null;
  /** Its job runs in sandbox mode: it may write without a lock. */
  readonly isSandbox: boolean;
  /** Its job keeps Pulumi's state there, to which the checks for Terraform's do not apply. */
  readonly isPulumi: boolean;
};

type Access = {
  readonly workspaceId: string;
  readonly jobId?: string | undefined;
  /** Only workspaces with Pulumi's state. */
  readonly isPulumi?: boolean;
};
type Parts = Pick<Broker, "db" | "seals" | "largeReads" | "bodies">;

/**
 * The workspace; 404 when it does not exist and, for a runner's or a job's token, when no plan of
 * its own jobs names it: jobs that run, are being stopped, or ended in the last ten minutes; 403 when it belongs to an install whose own runner this is not. For a person, 404 when
 * the job is not of this org.
 */
export async function requireWorkspaceAccess(
  broker: Parts,
  actor: Actor,
  { workspaceId, jobId, isPulumi = false }: Access,
): Promise<WorkspaceAccess> {
  const { db } = broker;
  const workspace = await findWorkspace(db, actor.orgId, workspaceId);
  if (workspace === undefined) throw problem.notFound("workspace");
  const { executionId } = actor;
  if (actor.runnerId === null) {
    if (jobId !== undefined) await requireJob(db, actor.orgId, jobId);
    return { workspaceId, jobId: jobId ?? null, executionId, isSandbox: false, isPulumi };
  }
  const found = await findActingJob(broker, actor, { workspaceId, jobId, isPulumi });
  if (found === undefined) throw problem.notFound("workspace");
  const { job, isSandbox } = found;
  await requireOwnState(db, actor.orgId, { runnerId: job.runner_id, names: [workspaceId] });
  return {
    workspaceId,
    jobId: job.id,
    executionId,
    isPulumi: found.isPulumi,
    isSandbox: isSandbox || (await isGroupInSandbox(db, actor.orgId, job.runner_id)),
  };
}

type Naming = {
  readonly job: NamingJob;
  readonly isPulumi: boolean;
  readonly isSandbox: boolean;
};

/**
 * The job that a call is attributed to. Terraform reads its backend's address, with the id of the planning job, from
 * the saved plan: when that job has finished, the call belongs to the job that applies the plan, if there is one.
 */
async function findActingJob(
  parts: Parts,
  actor: Actor,
  asked: Access,
): Promise<Naming | undefined> {
  const { workspaceId: name, jobId } = asked;
  const [own] = await judged(namingJobs(parts, actor, { name, jobId }), asked, 1);
  if (jobId === undefined || (own !== undefined && own.job.status !== "finished")) return own;
  const planner = await findFinishedPlanner(parts, actor, jobId);
  if (planner === undefined || namedBy(planner, asked) === undefined) return own;
  const applying = namingJobs(parts, actor, { name, operation: "apply-plan" });
  const [first] = (await judged(applying, asked)).toSorted(
    (a, b) => rank(a.job, planner) - rank(b.job, planner) || (a.job.id < b.job.id ? -1 : 1),
  );
  return first ?? own;
}

/** A running job is preferred to an ended one, and a job of the same owner to another's. */
function rank(job: NamingJob, planner: NamingJob): number {
  const isOwners = job.owner_id === planner.owner_id && job.owner_type === planner.owner_type;
  return (job.status === "in-progress" ? 0 : 2) + (isOwners ? 0 : 1);
}

async function judged(
  jobs: AsyncGenerator<NamingJob>,
  asked: Access,
  most = Number.POSITIVE_INFINITY,
): Promise<Naming[]> {
  const found: Naming[] = [];
  for await (const job of jobs) {
    const naming = namedBy(job, asked);
    if (naming !== undefined) found.push(naming);
    if (found.length >= most) break;
  }
  return found;
}

function namedBy(job: NamingJob, asked: Access): Naming | undefined {
  const { ids, pulumiIds, isSandbox } = job.facts;
  const isPulumi = pulumiIds.includes(asked.workspaceId);
  if (!ids.includes(asked.workspaceId) || (asked.isPulumi === true && !isPulumi)) return undefined;
  return { job, isPulumi, isSandbox };
}
