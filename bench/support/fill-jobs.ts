import type { Db } from "../../broker/database/connect.ts";

export type Filling = {
  readonly orgId: string;
  readonly runnerIds: readonly string[];
  readonly count: number;
  /** The number of the first one, where others are there already. */
  readonly first?: number;
};

const portion = 250_000;
const hourNs = 3_600_000_000_000;

/** Jobs that wait without a slot, as if they had been enqueued one after the other; their clocks end in hours. */
export async function fillLiveJobs(
  db: Db,
  { orgId, runnerIds, count, first = 1 }: Filling,
): Promise<void> {
  await inPortions(db, { count, first }, async (one, from, to) => {
    await one`
      with n as materialized (
        select 'job_00' || lpad(n::text, 24, '0') as id, (${[...runnerIds]}::text[])[1 + n % ${runnerIds.length}] as run,
               svc_now() - interval '1 hour' + n * interval '1 ms' as at
          from generate_series(${from}::int, ${to}::int) n
      ), facts as (
        insert into runner_jobs (id, org_id, runner_id, job_group, type, operation, queue_timeout, available_timeout,
                                 execution_timeout, overall_timeout, max_executions, stop_grace, changes_things, created_at)
        select n.id, ${orgId}, n.run, 'deploy', 'noop-deploy', 'exec', ${24 * hourNs}, ${hourNs}, ${hourNs},
               ${48 * hourNs}, 1, ${hourNs}, true, n.at from n
      )
      insert into runner_job_live (id, org_id, runner_id, job_group, status, has_slot, max_executions, created_at,
                                   status_at, overall_at, deadline_at, queue_timeout, available_timeout,
                                   execution_timeout, stop_grace, changes_things)
      select n.id, ${orgId}, n.run, 'deploy', 'queued', false, 1, n.at, n.at, n.at + interval '48 hours',
             n.at + interval '24 hours', ${24 * hourNs}, ${hourNs}, ${hourNs}, ${hourNs}, true from n`;
  });
  await db`
    update runner_queues q set waiting = c.n
      from (select runner_id, job_group, count(*)::int as n from runner_job_live group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group`;
  await db`vacuum (analyze, freeze) runner_jobs, runner_job_live, runner_queues`;
}

/** Jobs that finished over the last 89 days, each with its execution and its end. */
export async function fillEndedJobs(db: Db, { orgId, runnerIds, count }: Filling): Promise<void> {
  await inPortions(db, { count, first: 1 }, async (one, from, to) => {
    await one`
      with n as materialized (
        select 'job_00' || lpad(n::text, 24, '0') as id, 'exe_00' || lpad(n::text, 24, '0') as exe,
               (${[...runnerIds]}::text[])[1 + n % ${runnerIds.length}] as run,
               svc_now() - interval '89 days' + n * (interval '88 days' / ${count}::int) as at
          from generate_series(${from}::int, ${to}::int) n
      ), facts as (
        insert into runner_jobs (id, org_id, runner_id, job_group, type, operation, queue_timeout, available_timeout,
                                 execution_timeout, overall_timeout, max_executions, stop_grace, changes_things, created_at)
        select n.id, ${orgId}, n.run, 'deploy', 'noop-deploy', 'exec', ${hourNs}, ${hourNs}, ${hourNs}, ${hourNs}, 1,
               ${hourNs}, true, n.at from n
      ), executions as (
        insert into runner_job_executions (id, org_id, runner_job_id, runner_id, is_ours, status, ended_by, created_at,
                                           deadline_at, confirmed_at, finished_at)
        select n.exe, ${orgId}, n.id, n.run, true, 'finished', 'client', n.at, n.at, n.at, n.at from n
      )
      insert into runner_job_ends (runner_job_id, org_id, status, execution_count, final_execution_id, created_at,
                                   started_at, finished_at)
      select n.id, ${orgId}, 'finished', 1, n.exe, n.at, n.at, n.at from n`;
  });
  await db`vacuum (analyze, freeze) runner_jobs, runner_job_executions, runner_job_ends`;
}

/** Foreign keys are not looked up row by row here: every row is made with what it refers to. */
async function inPortions(
  db: Db,
  { count, first }: { readonly count: number; readonly first: number },
  insert: (one: Db, from: number, to: number) => Promise<unknown>,
): Promise<void> {
  const one = await db.reserve();
  await one`set session_replication_role = replica`;
  const last = first + count - 1;
  for (let from = first; from <= last; from += portion) {
    await insert(one, from, Math.min(last, from + portion - 1));
  }
  await one`reset session_replication_role`;
  one.release();
}
