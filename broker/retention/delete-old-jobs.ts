import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

type SeenRow = { seen: number; deleted: number; last: string | null; is_young: boolean };

/**
 * Deletes jobs that ended more than `days` ago with all that belongs to them: plan, executions, results,
 * outputs, evidence, events; but for what workflows and states of installs need. Answers how many. It walks the ends in the order of the jobs' ids, which is that
 * of their creation, and stops at younger jobs; ended jobs are not locked by claims.
 */
export async function deleteOldJobs(db: Db, days: number, batches: Batches): Promise<number> {
  let after = "";
  let total = 0;
  await deleteInBatches(batches, async (limit) => {
    const [row] = await db<SeenRow[]>`
      with cutoff as materialized ( -- one batch of jobs after the other, also of delete_jobs_of_org: two would wait for each other
        select svc_now() - make_interval(days => ${days}) as at, pg_advisory_xact_lock(hashtext('svc deletion of jobs'))
      ),
      walked as materialized (
        select e.org_id, e.runner_job_id, e.created_at,
               e.finished_at < c.at and not is_kept_job(e.org_id, e.runner_job_id) as is_old, e.created_at >= c.at as is_young
          from cutoff c cross join lateral (select * from runner_job_ends e where e.runner_job_id > ${after}
                                             order by e.runner_job_id limit ${limit}) e
      ), events as (
        delete from runner_job_events v using walked w where w.is_old and v.runner_job_id = w.runner_job_id
      ), executions as materialized (
        select x.id from walked w join runner_job_executions x on x.runner_job_id = w.runner_job_id where w.is_old
      ), results as (
        delete from runner_job_execution_results r using executions x where r.execution_id = x.id
      ), outputs as (
        delete from runner_job_execution_outputs o using executions x where o.execution_id = x.id
      ), plans as (
        delete from runner_job_plans p using walked w where w.is_old and p.runner_job_id = w.runner_job_id
        returning p.org_id, p.runner_job_id, p.names
      ), names as (
        delete from runner_job_plan_names n using plans p, unnest(p.names) named
         where n.org_id = p.org_id and n.name = named and n.runner_job_id = p.runner_job_id
      ), ends as (
        delete from runner_job_ends d using walked w where w.is_old and d.runner_job_id = w.runner_job_id
      ), gone as (
        delete from runner_jobs j using walked w
         where w.is_old and j.org_id = w.org_id and j.id = w.runner_job_id returning j.id
      )
      select count(*)::int as seen, (select count(*) from gone)::int as deleted, max(w.runner_job_id) as last,
             coalesce(bool_and(w.is_young), true) as is_young
        from walked w`;
    if (row === undefined) return 0;
    after = row.last ?? after;
    total += row.deleted;
    return row.is_young ? 0 : row.seen;
  });
  return total;
}
