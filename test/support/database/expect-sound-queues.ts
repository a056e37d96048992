import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";

/** Fails when any row of a database says something that another one denies, whatever happened before. */
export async function expectSoundQueues(db: Db): Promise<void> {
  const wrong = await db<{ what: string; id: string; said: string }[]>`
    ${miscounted(db)} union all ${misplaced(db)} union all ${mistimed(db)}`;
  expect([...wrong]).toEqual([]);
  expect([...(await db<{ what: string }[]>`${mistold(db)}`)]).toEqual([]);
}

/** Counters of a queue against a count. */
const miscounted = (db: Db) => db`
  select 'queue counters' as what, q.runner_id || ' ' || q.job_group as id,
         format('in_use %s counted %s; waiting %s counted %s', q.in_use, c.in_use, q.waiting, c.waiting) as said
    from runner_queues q
   cross join lateral (
     select (select count(*) from runner_job_live l
              where l.runner_id = q.runner_id and l.job_group = q.job_group and l.has_slot)
            + (select count(*) from stopping_executions s
                where s.runner_id = q.runner_id and s.job_group = q.job_group and s.holds_slot) as in_use,
            (select count(*) from runner_job_live l
              where l.runner_id = q.runner_id and l.job_group = q.job_group and not l.has_slot) as waiting) c
   where (q.in_use, q.waiting) <> (c.in_use, c.waiting)`;

/** Every job is live or over; a running one has one execution that is not over, and no other job has any. */
const misplaced = (db: Db) => db`
  select 'live and over at once, or neither', j.id::text, format('live %s, end %s', l.status, d.status)
    from runner_jobs j
    left join runner_job_live l on l.id = j.id
    left join runner_job_ends d on d.runner_job_id = j.id
   where (l.id is null) = (d.runner_job_id is null)
  union all
  select 'open executions', j.id::text, format('job %s, open executions %s, current %s', l.status, o.ids, l.execution_id)
    from runner_jobs j
    left join runner_job_live l on l.id = j.id
   cross join lateral (
     select coalesce(array_agg(e.id::text), '{}') as ids from runner_job_executions e
      where e.runner_job_id = j.id and e.finished_at is null) o
   where o.ids <> case when l.execution_id is null then '{}'::text[] else array[l.execution_id::text] end
  union all
  select 'blocked by nothing', l.id::text, l.blocked_by::text
    from runner_job_live l
   where l.blocked_by is not null
     and not exists (select from stopping_executions s where s.execution_id = l.blocked_by)
  union all
  select 'attempts', l.id::text, format('execution_count %s counted %s', l.execution_count, c.n)
    from runner_job_live l
   cross join lateral (
     select count(*) filter (where e.event = 'claim') - count(*) filter (where e.event = 'return') as n
       from runner_job_events e where e.runner_job_id = l.id) c
   where l.execution_count <> c.n`;

/** No row waits without a deadline, and none waits past its last clock. */
const mistimed = (db: Db) => db`
  select 'deadline', l.id::text, format('%s at %s, overall %s', l.status, l.deadline_at, l.overall_at)
    from runner_job_live l where l.deadline_at is null or l.deadline_at > greatest(l.overall_at, l.status_at + interval '1 s')
  union all
  select 'stopping deadline', s.execution_id::text, format('%s, gone by %s', s.deadline_at, s.gone_by)
    from stopping_executions s where s.deadline_at is null or s.deadline_at > s.gone_by`;

/** A job's events in the order in which they are told: from nothing to where it is now, without a gap. */
const mistold = (db: Db) => db`
  with told as (
    select e.*, row_number() over w as place,
           lag(e.to_status, 1, '') over w as before, lead(e.to_status) over w as after
      from runner_job_events e window w as (partition by e.runner_job_id order by e.tx, e.seq)
  )
  select 'events' as what, t.runner_job_id, t.place, t.event, t.before, t.from_status, t.to_status
    from told t
    left join runner_job_live l on l.id = t.runner_job_id
    left join runner_job_ends d on d.runner_job_id = t.runner_job_id
   where t.from_status <> t.before
      or (t.after is null and t.to_status is distinct from coalesce(l.status, d.status))`;
