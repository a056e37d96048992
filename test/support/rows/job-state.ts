import type { Db } from "../../../broker/database/connect.ts";

export type JobState = {
  readonly status: string;
  readonly has_slot: boolean | null;
  readonly withdrawals: number | null;
  readonly execution_count: number;
  readonly description: string | null;
  readonly clock: string | null;
  /** Every move so far, first to last. */
  readonly events: readonly string[];
  /** Status of every execution, first to last. */
  readonly executions: readonly string[];
};

/** Where a job is, how it came there, and what became of its executions. */
export async function jobState(db: Db, jobId: string): Promise<JobState> {
  const [row] = await db<JobState[]>`
    select coalesce(l.status, d.status) as status, l.has_slot, l.withdrawals,
           coalesce(l.execution_count, d.execution_count) as execution_count,
           d.status_description as description, d.clock,
           (select array_agg(e.event order by e.tx, e.seq) from runner_job_events e
             where e.runner_job_id = j.id) as events,
           (select coalesce(array_agg(e.status order by e.id), '{}') from runner_job_executions e
             where e.runner_job_id = j.id) as executions
      from runner_jobs j
      left join runner_job_live l on l.id = j.id
      left join runner_job_ends d on d.runner_job_id = j.id
     where j.id = ${jobId}`;
  if (row === undefined) throw new Error(`there is no job ${jobId}`);
  return row;
}

/** The ids of a runner's jobs that polls can be offered now, in the order in which they are. */
export async function jobsOnOffer(db: Db, runnerId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select l.id from runner_job_live l
     where l.runner_id = ${runnerId} and l.status = 'available' and l.has_slot
     order by l.withdrawals, l.created_at, l.id`;
  return rows.map(({ id }) => id);
}

/** The counters of a runner's queue for deploys. */
export async function queueOf(
  db: Db,
  { runnerId }: { readonly runnerId: string },
): Promise<{ in_use: number; waiting: number } | undefined> {
  const [row] = await db<{ in_use: number; waiting: number }[]>`
    select in_use, waiting from runner_queues where runner_id = ${runnerId} and job_group = 'deploy'`;
  return row;
}
