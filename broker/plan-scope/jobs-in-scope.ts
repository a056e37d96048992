import type postgres from "postgres";
import type { PlanFacts } from "../../shared/plans/plan-facts.ts";
import type { RunnerJobOperation, RunnerJobType } from "../../shared/runner-job-types.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import { type PlanReader, secretDigest } from "../jobs/guard-plans.ts";
import { openPlan } from "../jobs/sealed-plan.ts";
import type { Seals } from "../seals/seals.ts";
import { findPlanFacts, type PlanFactsParts } from "./find-plan-facts.ts";

/** A job that a runner works on or just did, with the text of its plan. */
export type JobInScope = {
  readonly id: string;
  readonly runner_id: string;
  readonly type: RunnerJobType;
  readonly owner_id: string;
  readonly owner_type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: RunnerJobStatus;
  readonly status_description: string;
  readonly status_at: Date;
  readonly plan: string;
};

/** The same with what its plan names. */
export type NamingJob = Omit<JobInScope, "plan"> & { readonly facts: PlanFacts };

export type ScopeParts = { readonly db: Db; readonly seals: Seals };
type ScopeQuery = {
  readonly name: string;
  readonly jobId?: string | undefined;
  readonly operation?: RunnerJobOperation;
};
type JobRow = Omit<JobInScope, "plan">;
type PlanRow = { key_id: string | null; contents: Buffer };

/**
 * The jobs whose plans name this and that a runner may look into, the newest first: those with an execution that
 * runs, is being stopped, or ended within ten minutes. A token of one execution sees the job of that one only; a runner's
 * token alone sees none that a process holds which binds its plans.
 * Plans are sealed, so each is opened to be judged; stop at the one that was looked for.
 */
export async function* jobsInScope(
  parts: ScopeParts,
  actor: PlanReader,
  asked: ScopeQuery,
): AsyncGenerator<JobInScope> {
  for await (const job of reachedJobs(parts.db, actor, asked)) {
    const plan = await readPlan(parts, actor, job.id);
    if (plan?.includes(asked.name) === true) yield { ...job, plan };
  }
}

/** The same jobs, and others that do not name it; what each plan names is read once only. */
export async function* namingJobs(
  parts: PlanFactsParts,
  actor: PlanReader,
  asked: ScopeQuery,
): AsyncGenerator<NamingJob> {
  for await (const job of reachedJobs(parts.db, actor, asked)) {
    const facts = await findPlanFacts(parts, actor.orgId, job);
    if (facts !== undefined) yield { ...job, facts };
  }
}

async function* reachedJobs(db: Db, actor: PlanReader, asked: ScopeQuery): AsyncGenerator<JobRow> {
  const isOne = asked.jobId !== undefined || actor.executionId !== null;
  for (const list of isOne ? [listOne] : [listNamed, listUnnamed]) {
    yield* await list(db, actor, asked);
  }
}

/**
 * The job that made a plan for this runner and finished, however long ago; undefined for one that did not plan, that
 * ended otherwise or has not ended.
 */
export async function findFinishedPlanner(
  parts: PlanFactsParts,
  actor: PlanReader,
  jobId: string,
): Promise<NamingJob | undefined> {
  const { db } = parts;
  const [job] = await db<JobRow[]>`
    select ${columns(db)}
      from runner_jobs j
      ${joins(db)}
     where j.org_id = ${actor.orgId} and j.runner_id = ${actor.runnerId} and j.id = ${jobId}
       and j.operation in ('create-apply-plan', 'create-teardown-plan') and d.status = 'finished'`;
  const facts = job && (await findPlanFacts(parts, actor.orgId, job));
  return job && facts && { ...job, facts };
}

async function readPlan(
  { db, seals }: ScopeParts,
  { orgId }: PlanReader,
  id: string,
): Promise<string | undefined> {
  const [row] = await db<PlanRow[]>`
    select p.key_id, p.contents from runner_job_plans p
     where p.runner_job_id = ${id} and p.org_id = ${orgId}`;
  return row && openPlan(seals, { orgId, id }, row);
}

/** The one job that is asked for, or that the token is for, whatever names are kept of its plan. */
function listOne(db: Db, actor: PlanReader, asked: ScopeQuery): Promise<JobRow[]> {
  return db<JobRow[]>`
    select ${columns(db)}
      from runner_jobs j
      ${joins(db)}
     where j.org_id = ${actor.orgId} and j.id = ${asked.jobId ?? jobOf(db, actor)} and ${isReached(db, actor, asked)}`;
}

/** By the names that are kept beside the plans. */
function listNamed(db: Db, actor: PlanReader, asked: ScopeQuery): Promise<JobRow[]> {
  return db<JobRow[]>`
    select ${columns(db)}
      from runner_job_plan_names n
      join runner_jobs j on j.org_id = n.org_id and j.id = n.runner_job_id
      ${joins(db)}
     where n.org_id = ${actor.orgId} and n.name = ${asked.name} and ${isReached(db, actor, asked)}
     order by n.runner_job_id desc limit 50`;
}

/** Plans that came without their names, of a broker of the version before: any of them may name it. */
function listUnnamed(db: Db, actor: PlanReader, asked: ScopeQuery): Promise<JobRow[]> {
  return db<JobRow[]>`
    select ${columns(db)}
      from runner_jobs j
      join runner_job_plans p on p.runner_job_id = j.id and p.names is null
      ${joins(db)}
     where j.org_id = ${actor.orgId} and j.id in (${candidates(db, actor)}) and ${isReached(db, actor, asked)}
     order by j.id desc`;
}

function candidates(db: Db, { runnerId }: PlanReader): postgres.Fragment {
  return db`
    (select id from runner_jobs where runner_id = ${runnerId} order by id desc limit 200)
    union select id from runner_job_live where runner_id = ${runnerId} and status = 'in-progress'
    union select runner_job_id from stopping_executions where runner_id = ${runnerId}`;
}

function jobOf(db: Db, { orgId, executionId }: PlanReader): postgres.Fragment {
  return db`(select runner_job_id from runner_job_executions where org_id = ${orgId} and id = ${executionId})`;
}

function columns(db: Db): postgres.Fragment {
  return db`
    j.id, j.runner_id, j.type, j.owner_id, j.owner_type, j.metadata, coalesce(d.status, l.status) as status,
    coalesce(d.status_description, '') as status_description, coalesce(d.finished_at, l.status_at) as status_at`;
}

function joins(db: Db): postgres.Fragment {
  return db`
    left join runner_job_live l on l.id = j.id
    left join runner_job_ends d on d.runner_job_id = j.id`;
}

function isReached(db: Db, actor: PlanReader, { operation }: ScopeQuery): postgres.Fragment {
  const { orgId, runnerId, executionId } = actor;
  return db`
    j.runner_id = ${runnerId}
      ${operation === undefined ? db`` : db`and j.operation = ${operation}`}
      ${executionId === null ? db`` : db`and j.id = ${jobOf(db, actor)}`}
      and exists (
        select from runner_job_executions e
         where e.org_id = ${orgId} and e.runner_job_id = j.id
           and ${executionId === null ? db`is_open_to_runner(e.is_ours, e.process_id, ${secretDigest(actor)})` : db`e.id = ${executionId}`}
           and (e.finished_at is null or e.finished_at > svc_now() - interval '10 minutes'
                or exists (select from stopping_executions s where s.execution_id = e.id)))`;
}
