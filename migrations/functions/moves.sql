-- How a job moves. Whoever calls holds the row locks of the jobs' queues (lock_queues).
--
-- Events are read in the order (tx, seq), up to the oldest transaction still running. A transaction has its number
-- before it waits for its locks, so the one that moves a job later may have the lower number: an event is written
-- under the highest number that its job's events have had (event_tx). It is never below the writer's own, so nothing
-- is shown before its writer has committed.
--
-- The functions that callers use plan their statements once a connection, for index look-ups in nested loops only:
-- they get a handful of keys, and a plan made while a table was empty must still be right when it is not.

-- Locks in one order everywhere, so that no two callers can wait for each other.
create or replace function lock_queues(keys queue_key[]) returns void
  language plpgsql as $$
begin
  perform 1
     from runner_queues q
     join (select distinct k.runner_id, k.job_group from unnest(keys) k) k
       on q.runner_id = k.runner_id and q.job_group = k.job_group
    order by q.runner_id, q.job_group
      for no key update of q;
end $$;

-- Locks the executions of jobs that are in progress: a report or a beat may be confirming one right now, and a caller
-- that ends it must read what that report said. Executions are locked last everywhere, in the order of their ids.
create or replace function lock_executions(job_ids text[]) returns void
  language sql as $$
  select 1
    from runner_job_live l
    join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
   where l.id = any(job_ids)
   order by e.id
     for no key update of e
$$;

-- Applies moves whose jobs the caller has read under lock; writes everything that belongs to them.
create or replace function move_jobs(moves job_move[], t timestamptz) returns setof moved_job
  language plpgsql as $$
begin
  perform block_half_done(moves, t);
  return query
  with j as materialized (
    select l.*, m.event, m.execution_status, m.ended_by, m.description, m.clock, m.stop_reason, m.n,
           job_status_after(l.status, m.event) as to_status,
           job_status_after(l.status, m.event) = 'queued' as goes_back -- null, like the status: refused with the event
      from unnest(moves) m
      join runner_job_live l on l.id = m.job_id
  ), gone as (
    delete from runner_job_live l using j where l.id = j.id and not j.goes_back
  ), ends as (
    insert into runner_job_ends (runner_job_id, org_id, status, status_description, clock, execution_count,
                                 final_execution_id, created_at, started_at, finished_at, composite_error)
    select j.id, j.org_id, j.to_status, coalesce(j.description, ''), j.clock, j.execution_count,
           j.execution_id, j.created_at, j.started_at, t,
           case when j.event <> 'finish'
                then end_error(j.execution_id, j.event, j.ended_by, j.clock, j.stop_reason, j.description) end
      from j where not j.goes_back
  ), back as (
    update runner_job_live l
       set status = j.to_status, has_slot = false, status_at = t,
           deadline_at = least(t + ns(l.queue_timeout), l.overall_at),
           withdrawals = l.withdrawals + (j.event = 'withdraw')::int,
           execution_count = l.execution_count - (j.event = 'return')::int,
           execution_id = null, process_id = null, holders = null, offered_until = null,
           blocked_by = case when j.stop_reason is not null then j.execution_id end,
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from j where l.id = j.id and j.goes_back
  ), ended as (
    update runner_job_executions e
       set status = j.execution_status, status_description = coalesce(j.description, ''),
           ended_by = j.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t)
      from j
     where j.execution_status is not null and e.org_id = j.org_id and e.id = j.execution_id
    returning j.id, j.org_id, j.runner_id, j.job_group, j.process_id, j.holders, j.event, j.status as from_status,
              j.to_status, j.stop_reason, j.stop_grace, j.changes_things, e.id as execution_id, e.is_ours, e.deadline_at,
              e as execution, j.n
  ), stopping as (
    insert into stopping_executions (execution_id, org_id, runner_id, job_group, runner_job_id, process_id, holders,
                                     is_ours, reason, started_at, slot_until, gone_by, deadline_at)
    select e.execution_id, e.org_id, e.runner_id, e.job_group, e.id, e.process_id, e.holders,
           e.is_ours, e.stop_reason, t, t + ns(e.stop_grace),
           case when e.stop_reason = 'lost' and e.changes_things
                then greatest(e.deadline_at, t) + ns(e.stop_grace) else t + ns(e.stop_grace) end,
           t + ns(e.stop_grace)
      from ended e where e.stop_reason is not null
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select j.org_id, j.id, j.runner_id, j.job_group, j.event, j.status, j.to_status,
           j.execution_id, coalesce(j.description, ''), t, greatest(j.event_tx, pg_current_xact_id())
      from j
  ), counted as (
    update runner_queues q
       set in_use = q.in_use - c.freed, waiting = q.waiting + c.waiting
      from (select j.runner_id, j.job_group,
                   count(*) filter (where j.has_slot and j.stop_reason is null) as freed,
                   sum(j.goes_back::int - (not j.has_slot)::int) as waiting
              from j group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
       and (c.freed <> 0 or c.waiting <> 0)
  )
  select e.id::text, e.event, e.from_status, e.to_status, e.org_id::text, e.runner_id::text, e.job_group::text,
         e.execution_id::text, e.execution, e.n
    from ended e
  union all
  select j.id::text, j.event, j.status, j.to_status, j.org_id::text, j.runner_id::text, j.job_group::text,
         j.execution_id::text, null::runner_job_executions, j.n
    from j where j.execution_status is null;
end $$;

-- The error that a job which did not finish ends with: the one of its execution's result; the broker's own where it ended
-- what was running, or a clock did; null where somebody wanted it to end, or its process named none.
create or replace function end_error(execution text, event text, ended_by text, clock text, stop_reason text, why text) returns jsonb
  language sql stable as $$
  select coalesce(
    (select r.composite_error from runner_job_execution_results r where r.execution_id = execution and not r.success),
    case when clock = 'overall_timeout'
           then jsonb_build_object('type', 'runner.overall_timeout', 'title', 'The job was not done in time',
                                   'detail', why, 'retryable', true)
         when clock = 'execution_timeout'
           then jsonb_build_object('type', 'runner.execution_timeout', 'title', 'The attempt took too long',
                                   'detail', why, 'retryable', false)
         when event = 'fail' and ended_by = 'broker' and stop_reason = 'forced'
           then jsonb_build_object('type', 'runner.forced', 'title', 'The attempt was ended by force',
                                   'detail', why, 'retryable', true)
         when event = 'fail' and ended_by = 'broker'
           then jsonb_build_object('type', 'runner.lost', 'title', 'The process that worked on the job is gone',
                                   'detail', why, 'retryable', true) end)
$$;

-- Gives free slots to waiting jobs, in order; answers the queues that had free slots and waiting jobs: they have
-- something to offer, or would have for a poll that is parked already. A job that was withdrawn waits for a poll that
-- could take it (with_withdrawn), a retry for the end of its predecessor.
create or replace function release_jobs(keys queue_key[], with_withdrawn boolean, t timestamptz) returns setof queue_key
  language plpgsql as $$
begin
  if not exists (select from runner_queues q join unnest(keys) k using (runner_id, job_group)
                  where q.slots > q.in_use and q.waiting > 0) then
    return;
  end if;
  return query
  with free as (
    select q.runner_id, q.job_group, q.slots - q.in_use as slots
      from runner_queues q
      join (select distinct k.runner_id, k.job_group from unnest(keys) k) k using (runner_id, job_group)
     where q.slots > q.in_use and q.waiting > 0
  ), picked as (
    select c.id, c.status
      from free f
     cross join lateral (
       select * from (
         (select l.id, l.status, l.withdrawals, l.created_at
            from runner_job_live l
           where l.runner_id = f.runner_id and l.job_group = f.job_group
             and not l.has_slot and l.withdrawals = 0 and l.blocked_by is null
           order by l.created_at, l.id limit f.slots)
         union all
         (select l.id, l.status, l.withdrawals, l.created_at
            from runner_job_live l
           where with_withdrawn and l.runner_id = f.runner_id and l.job_group = f.job_group
             and not l.has_slot and l.withdrawals > 0 and l.blocked_by is null
           order by l.withdrawals, l.created_at, l.id limit f.slots)) u
        order by u.withdrawals, u.created_at, u.id limit f.slots) c
  ), released as (
    update runner_job_live l
       set status = 'available', has_slot = true, status_at = t, offered_until = null,
           deadline_at = least(t + ns(l.available_timeout), l.overall_at),
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from picked p where l.id = p.id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.event_tx, p.status as from_status
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at, tx)
    select r.org_id, r.id, r.runner_id, r.job_group, 'release', 'queued', 'available', t, r.event_tx
      from released r where r.from_status = 'queued'
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.n, waiting = q.waiting - c.n
      from (select r.runner_id, r.job_group, count(*)::int as n from released r group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select f.runner_id::text, f.job_group::text from free f;
end $$;
