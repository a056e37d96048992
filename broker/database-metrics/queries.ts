import type { Db } from "../database/connect.ts";

/** One job group's figures over all runners. */
export type GroupFigures = {
  readonly job_group: string;
  /** Jobs by status. */
  readonly queued: number;
  readonly available: number;
  readonly in_progress: number;
  /** Jobs without a slot; slots taken; slots there are. */
  readonly depth: number;
  readonly in_flight: number;
  readonly capacity: number;
};

/** Every group's figures, from the queues' own counters: the cost follows the queues, not the jobs. */
export async function listGroupFigures(db: Db): Promise<GroupFigures[]> {
  return db<GroupFigures[]>`
    with queues as (
      select job_group, sum(waiting) as waiting, sum(in_use) as in_use, sum(slots) as slots
        from runner_queues group by 1
    ), offered as (
      select job_group, count(*) as jobs from runner_job_live
       where status = 'available' and has_slot group by 1
    ), overdue as (
      select job_group, count(*) as jobs from runner_job_live
       where status = 'available' and not has_slot group by 1
    ), stopping as (
      select job_group, count(*) as executions from stopping_executions where holds_slot group by 1
    )
    select q.job_group, (q.waiting - coalesce(d.jobs, 0))::int as queued,
           (coalesce(o.jobs, 0) + coalesce(d.jobs, 0))::int as available,
           (q.in_use - coalesce(o.jobs, 0) - coalesce(s.executions, 0))::int as in_progress,
           q.waiting::int as depth, q.in_use::int as in_flight, q.slots::int as capacity
      from queues q
      left join offered o using (job_group)
      left join overdue d using (job_group)
      left join stopping s using (job_group)`;
}

/**
 * The age of the oldest unclaimed job of each group. A queue's index is ordered by (times
 * withdrawn, age), so one look-up for each number of withdrawals finds its oldest job.
 */
export async function listOldestWaiting(
  db: Db,
): Promise<{ readonly job_group: string; readonly seconds: number }[]> {
  return db<{ job_group: string; seconds: number }[]>`
    with recursive oldest as (
      select q.runner_id, q.job_group, f.withdrawals, f.created_at
        from runner_queues q
       cross join lateral (
         select l.withdrawals, l.created_at from runner_job_live l
          where l.runner_id = q.runner_id and l.job_group = q.job_group and not l.has_slot
          order by l.withdrawals, l.created_at, l.id limit 1) f
       where q.waiting > 0
      union all
      select o.runner_id, o.job_group, n.withdrawals, n.created_at
        from oldest o
       cross join lateral (
         select l.withdrawals, l.created_at from runner_job_live l
          where l.runner_id = o.runner_id and l.job_group = o.job_group and not l.has_slot
            and l.withdrawals > o.withdrawals
          order by l.withdrawals, l.created_at, l.id limit 1) n
    ), waits as (
      select job_group, created_at from oldest
      union all
      select job_group, created_at from runner_job_live where status = 'available' and has_slot
    )
    select job_group, extract(epoch from svc_now() - min(created_at))::float8 as seconds
      from waits group by 1`;
}

/** How many signals are live over all queues, and the age of the oldest that is the first in its line. */
export type SignalFigures = {
  readonly queued: number;
  /** Those with a place. */
  readonly in_flight: number;
  /** Those in back-off without one. */
  readonly retrying: number;
  readonly oldest_seconds: number;
};

/** The figures of all queues of signals, from their counters and one look-up in each line that is not empty. */
export async function findSignalFigures(db: Db): Promise<SignalFigures> {
  const [row] = await db<SignalFigures[]>`
    select coalesce(sum(c.waiting), 0)::int as queued, coalesce(sum(c.in_flight), 0)::int as in_flight,
           coalesce(sum(c.delayed), 0)::int as retrying,
           coalesce(extract(epoch from svc_now() - min(f.created_at)), 0)::float8 as oldest_seconds
      from queue_counters c
      left join lateral (select l.created_at from queue_signal_live l
                          where c.waiting > 0 and l.queue_id = c.queue_id and l.status = 'queued'
                          order by l.place limit 1) f on true`;
  return row ?? { queued: 0, in_flight: 0, retrying: 0, oldest_seconds: 0 };
}

/** For how long the emitter that is most overdue has been: one look-up for those that wait for a look, one for those that wait for room. */
export async function findEmitterDelay(db: Db): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select greatest(0, extract(epoch from t.now - least(
             (select e.due_at from queue_emitters e where e.due_at <= t.now order by e.due_at limit 1),
             (select e.next_emit_at from queue_emitters e where e.due_at > e.next_emit_at and e.next_emit_at <= t.now
               order by e.next_emit_at limit 1))))::float8 as seconds
      from (select svc_now() as now) t`;
  return row?.seconds ?? 0;
}

/** Runners by status; the deleted are left out. */
export async function listRunnerCounts(
  db: Db,
): Promise<{ readonly status: string; readonly runners: number }[]> {
  return db<{ status: string; runners: number }[]>`
    select status, count(*)::int as runners from runners where lifecycle <> 'deleted' group by 1`;
}

/** The longest time since the last sign of life of a live process; 0 when there is none. */
export async function findLongestSilence(db: Db): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select coalesce(extract(epoch from svc_now() - min(b.last_seen_at)), 0)::float8 as seconds
      from runner_processes p
      join runner_process_beats b on b.process_id = p.id
     where p.deadline_at is not null and p.status <> 'offline'`;
  return row?.seconds ?? 0;
}

/** Connections of one program that are busy with a statement. */
export async function countBusyConnections(db: Db, applicationName: string): Promise<number> {
  const [row] = await db<{ busy: number }[]>`
    select count(*)::int as busy from pg_stat_activity
     where application_name = ${applicationName} and datname = current_database()
       and state <> 'idle'`;
  return row?.busy ?? 0;
}

/** One cell of the totals of ended jobs. */
export type Tally = {
  readonly job_group: string;
  readonly type: string;
  readonly status: string;
  readonly measure: "end" | "queue" | "run";
  /** The least bound that the seconds do not exceed. */
  readonly upto: number;
  readonly jobs: number;
  readonly seconds: number;
};

/** The totals of all jobs that have ended, as far as they were tallied. */
export async function listTallies(db: Db): Promise<Tally[]> {
  return db<Tally[]>`
    select job_group, type, status, measure, upto, jobs, seconds from runner_job_tallies`;
}

/** Artifacts that are to be deleted from the registry, up to ten thousand, and registries, and logins, that refused to within the last day. */
export type ArtifactFigures = { readonly waiting: number; readonly refusing: number };

/** How the deleting of artifacts stands. */
export async function findArtifactFigures(db: Db): Promise<ArtifactFigures> {
  const [row] = await db<ArtifactFigures[]>`
    select (select count(*)::int from (select from artifact_deletions d where d.ended_at is null limit 10000) x) as waiting,
           (select count(*)::int from registry_refusals r where r.refused_at > svc_now() - interval '1 day')
           + (select count(*)::int from registry_login_refusals l where l.refused_at > svc_now() - interval '1 day') as refusing`;
  return row ?? { waiting: 0, refusing: 0 };
}
