import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type LargeSealed, mostAtOnceBytes } from "../seals/open-large.ts";
import type { Seals } from "../seals/seals.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { JobRow, MoveRow } from "./row.ts";
import { openPlan } from "./sealed-plan.ts";

/** The job; undefined when this org has none of that id. */
export async function findJob(db: Db, org: OrgId, id: string): Promise<JobRow | undefined> {
  const [row] = await findJobs(db, org, [id]);
  return row;
}

/** The org's jobs of these ids, newest first; of a bound token's only what it reaches. */
export async function findJobs(
  db: Db,
  org: OrgId,
  ids: readonly string[],
  bound: Bound | null = null,
): Promise<JobRow[]> {
  if (ids.length === 0) return [];
  return db<JobRow[]>`
    select ${jobColumns(db)} from runner_jobs j ${jobState(db)}
     where j.org_id = ${org} and j.id = any(${ids}) ${boundTo(db, "runner_jobs", bound)}
     order by j.id desc`;
}

/** The columns of a JobRow; needs the joins of `jobState`. */
export function jobColumns(db: Db): postgres.Fragment {
  return db`
    j.*, coalesce(l.status, d.status) as status,
    coalesce(d.status_description, case
      when l.status = 'in-progress' then x.status_description
      when l.blocked_by is not null then 'waits until the attempt before it has stopped'
      when l.status = 'queued' and l.withdrawals > 0
        then 'nobody took it in time; waits for a process that asks for it'
      when l.status = 'available' and not l.has_slot then 'its queue timeout passed; waits for a free slot'
      end, '') as status_description, d.clock,
    coalesce(l.status_at, d.finished_at) as status_at,
    coalesce(l.execution_count, d.execution_count) as execution_count,
    coalesce(l.started_at, d.started_at) as started_at, d.finished_at, x.id as execution_id, x.process_id,
    coalesce(d.composite_error, -- of jobs that ended before their errors were kept with the end
      (select r.composite_error from runner_job_execution_results r
        where r.execution_id = d.final_execution_id and not r.success and r.created_at <= d.finished_at))
      as composite_error,
    d.finished_at is not null and (x.id is null or svc_now() >= awaits_log_until(x)
      or coalesce(has_log_record(j.org_id, log_stream_of(j.id), x.id, x.last_record), false)) as logs_complete`;
}

/** A job's live row or its end row, of which exactly one exists, and its current or last execution. */
export function jobState(db: Db): postgres.Fragment {
  return db`
    left join runner_job_live l on l.id = j.id
    left join runner_job_ends d on d.runner_job_id = j.id
    left join runner_job_executions x on x.org_id = j.org_id and x.id = coalesce(l.execution_id, d.final_execution_id)`;
}

/** The stored names in a plan; undefined when none are stored. */
export async function findPlanNames(
  db: Db,
  org: OrgId,
  jobId: string,
): Promise<readonly string[] | undefined> {
  const [row] = await db<{ names: string[] | null }[]>`
    select p.names from runner_job_plans p
     where p.runner_job_id = ${jobId} and p.org_id = ${org}`;
  return row?.names ?? undefined;
}

/**
 * The plan's text as it was enqueued, or a long plan as a sealed value to open. Undefined when the job has none. Refuses one
 * that this broker's keys do not open.
 */
export async function findPlanToSend(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  jobId: string,
): Promise<string | LargeSealed | undefined> {
  const [row] = await db<{ contents: Buffer | null; key_id: string | null; size: number }[]>`
    select case when length(p.contents) <= ${mostAtOnceBytes} then p.contents end as contents, p.key_id,
           length(p.contents) as size
      from runner_job_plans p where p.runner_job_id = ${jobId} and p.org_id = ${org}`;
  if (row === undefined) return undefined;
  const { contents, key_id: keyId, size: storedBytes } = row;
  if (contents !== null)
    return openPlan(seals, { orgId: org, id: jobId }, { key_id: keyId, contents });
  return largePlan(db, org, { id: jobId, keyId, storedBytes });
}

/** Where the sealed bytes of a plan are. */
export function largePlan(
  db: Db,
  org: string,
  plan: { readonly id: string; readonly keyId: string | null; readonly storedBytes: number },
): LargeSealed {
  const { id, keyId, storedBytes } = plan;
  return {
    thing: { orgId: org, id, part: "plan" },
    keyId,
    storedBytes,
    read: async (from, length) => {
      const [row] = await db<{ bytes: Buffer }[]>`
        select substring(p.contents from ${from + 1}::int for ${length}::int) as bytes
          from runner_job_plans p where p.runner_job_id = ${id} and p.org_id = ${org}`;
      if (row === undefined) throw new Error(`the plan of ${id} is gone`);
      return row.bytes;
    },
  };
}

/** The job's latest moves, oldest first. */
export async function listMoves(db: Db, org: OrgId, jobId: string): Promise<MoveRow[]> {
  return db<MoveRow[]>`
    select * from (
      select e.seq, e.event, e.to_status, e.execution_id, e.description, e.at
        from runner_job_events e
       where e.runner_job_id = ${jobId} and e.org_id = ${org}
       order by e.seq desc limit 21) e
     order by e.seq`;
}

/** Whether the org has this runner; deleted ones are gone. */
export async function hasRunner(db: Db, org: OrgId, id: string): Promise<boolean> {
  const rows = await db`
    select from runners where org_id = ${org} and id = ${id} and lifecycle <> 'deleted'`;
  return rows.length > 0;
}
