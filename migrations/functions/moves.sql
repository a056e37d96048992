-- The moves of jobs. Callers hold the row locks of the jobs' queues (lock_queues).
--
-- Events are read in the order (tx, seq), up to the oldest transaction still running. A transaction gets its number before it
-- waits for its locks, so a later move of a job may have the lower number. So an event is written with the highest number
-- that its job's events have had (event_tx). It is never below the writer's own, so no event is read before its writer commits.
--
-- Functions that brokers call plan their statements once a connection, with index look-ups in nested loops only: they get few
-- keys, and a plan that was made while a table was empty must still be good when it is large.

-- Locks queues in one order everywhere, so that callers cannot deadlock.
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

-- Locks the executions of jobs that are in progress: a report or a heartbeat may be changing one right now, and a caller that
-- ends it must see that change. Executions are locked last everywhere, in the order of their ids.
create or replace function lock_executions(job_ids text[]) returns void
  language sql as $$
  select 1
    from runner_job_live l
    join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
   where l.id = any(job_ids)
   order by e.id
     for no key update of e
$$;

-- Applies moves of jobs that the caller has read under lock, and returns them (without the executions' rows).
create or replace function move_jobs(moves job_move[], t timestamptz) returns setof moved_job
  language plpgsql as $$
declare
  ends job_move[];
  backs job_move[];
begin
  perform block_half_done(moves, t);
  return query
  select l.id::text, m.event, l.status, job_status_after(l.status, m.event), l.org_id::text, l.runner_id::text,
         l.job_group::text, l.execution_id::text, null::runner_job_executions, m.n
    from unnest(moves) m join runner_job_live l on l.id = m.job_id;
  -- A move that the table does not allow counts as an end: its null status is refused by the table's constraint.
  select array_agg(m) filter (where job_status_after(l.status, m.event) is distinct from 'queued'),
         array_agg(m) filter (where job_status_after(l.status, m.event) = 'queued')
    into ends, backs
    from unnest(moves) m join runner_job_live l on l.id = m.job_id;
  perform keep_slots(array(select m from unnest(moves) m where m.stop_reason is not null), t);
  if ends is not null then
    perform write_ends(ends, null, t);
  end if;
  if backs is not null then
    perform send_back(backs, t);
  end if;
end $$;

-- The one place where jobs end, whoever ends them: what must follow an end belongs here. The caller holds the locks of queue,
-- job and execution, and has called block_half_done and, for executions that may still run, keep_slots.
-- records: the last log records, indexed by the moves' n.
create or replace function write_ends(moves job_move[], records bigint[], t timestamptz) returns void
  language plpgsql as $$
declare
  awaited text[]; -- jobs for whose ends signals wait
  of_workflows text[]; -- workflows whose jobs ended
  of_looks text[]; -- jobs that may be looks for newer images
begin
  with gone as (
    delete from runner_job_live l using unnest(moves) m where l.id = m.job_id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.status, l.has_slot, l.execution_id, l.execution_count,
              l.created_at, l.started_at, l.event_tx, l.signal_id, l.workflow_id, m.event, m.execution_status, coalesce(m.description, '') as why,
              job_status_after(l.status, m.event) as to_status,
              m.ended_by, m.clock, m.stop_reason, m.n
  ), ends as (
    insert into runner_job_ends (runner_job_id, org_id, status, status_description, clock, execution_count,
                                 final_execution_id, created_at, started_at, finished_at, composite_error)
    select g.id, g.org_id, g.to_status, g.why, g.clock, g.execution_count, g.execution_id, g.created_at, g.started_at, t,
           case when g.event <> 'finish'
                then end_error(g.execution_id, g.event, g.ended_by, g.clock, g.stop_reason, g.why) end
      from gone g
  ), ended as (
    update runner_job_executions e
       set status = execution_status_after(e.status, execution_event(g.execution_status)), status_description = g.why,
           ended_by = g.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t),
           last_record = coalesce(e.last_record, records[g.n])
      from gone g where g.execution_status is not null and e.org_id = g.org_id and e.id = g.execution_id
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select g.org_id, g.id, g.runner_id, g.job_group, g.event, g.status, g.to_status, g.execution_id, g.why, t,
           greatest(g.event_tx, pg_current_xact_id())
      from gone g
  ), counted as (
    update runner_queues q set in_use = q.in_use - c.freed, waiting = q.waiting - c.waiting
      from (select g.runner_id, g.job_group, count(*) filter (where g.has_slot and g.stop_reason is null)::int as freed,
                   count(*) filter (where not g.has_slot)::int as waiting
              from gone g group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group and (c.freed <> 0 or c.waiting <> 0)
  )
  -- What the end means for a signal that waits for it is a call of its own: its queue would have to be locked before this one.
  select array_agg(g.id::text) filter (where g.signal_id is not null),
         array_agg(g.org_id || ' ' || g.workflow_id) filter (where g.workflow_id is not null),
         array_agg(g.id::text) filter (where g.job_group = 'sync' and g.workflow_id is null)
    into awaited, of_workflows, of_looks
    from gone g;
  if of_workflows is not null then
    perform wake_workflow(split_part(w, ' ', 1), split_part(w, ' ', 2)) from (select distinct w from unnest(of_workflows) w order by w) w;
  end if;
  if of_looks is not null then
    perform settle_image_looks(of_looks);
  end if;
  if awaited is not null then
    perform graphile_worker.add_job('end-signal-of-job', json_build_object('job_id', id), max_attempts => 5) from unnest(awaited) id;
  end if;
end $$;

-- The moves back to the queue: withdraw, return, retry.
create or replace function send_back(moves job_move[], t timestamptz) returns void
  language plpgsql as $$
begin
  with j as materialized (
    select l.id, l.org_id, l.runner_id, l.job_group, l.status, l.has_slot, l.execution_id, l.event_tx, m.event,
           m.execution_status, m.ended_by, coalesce(m.description, '') as why, m.stop_reason,
           job_status_after(l.status, m.event) as to_status
      from unnest(moves) m
      join runner_job_live l on l.id = m.job_id
  ), back as (
    update runner_job_live l
       set status = j.to_status, has_slot = false, status_at = t,
           deadline_at = least(t + ns(l.queue_timeout), l.overall_at),
           withdrawals = l.withdrawals + (j.event = 'withdraw')::int,
           execution_count = l.execution_count - (j.event = 'return')::int,
           execution_id = null, process_id = null, holders = null, offered_until = null,
           blocked_by = case when j.stop_reason is not null then j.execution_id end,
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from j where l.id = j.id
  ), ended as (
    update runner_job_executions e
       set status = execution_status_after(e.status, execution_event(j.execution_status)), status_description = j.why,
           ended_by = j.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t)
      from j where j.execution_status is not null and e.org_id = j.org_id and e.id = j.execution_id
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select j.org_id, j.id, j.runner_id, j.job_group, j.event, j.status, j.to_status, j.execution_id, j.why, t,
           greatest(j.event_tx, pg_current_xact_id())
      from j
  )
  update runner_queues q set in_use = q.in_use - c.freed, waiting = q.waiting + c.waiting
    from (select j.runner_id, j.job_group, count(*) filter (where j.has_slot and j.stop_reason is null)::int as freed,
                 count(*) filter (where j.has_slot)::int as waiting
            from j group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group and (c.freed <> 0 or c.waiting <> 0);
end $$;

-- Called before these moves: executions that may still run keep their slots until they have stopped.
create or replace function keep_slots(moves job_move[], t timestamptz) returns void
  language plpgsql as $$
begin
  if cardinality(moves) = 0 then
    return;
  end if;
  insert into stopping_executions (execution_id, org_id, runner_id, job_group, runner_job_id, process_id, holders,
                                   is_ours, reason, started_at, slot_until, gone_by, deadline_at)
  select e.id, e.org_id, l.runner_id, l.job_group, l.id, l.process_id, l.holders,
         e.is_ours, m.stop_reason, t, t + ns(l.stop_grace),
         case when m.stop_reason = 'lost' and l.changes_things
              then greatest(e.deadline_at, t) + ns(l.stop_grace) else t + ns(l.stop_grace) end,
         t + ns(l.stop_grace)
    from unnest(moves) m
    join runner_job_live l on l.id = m.job_id
    join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
   where m.execution_status is not null;
end $$;

-- The error of a job that did not finish: the one of its execution's result; else the broker's own, if the broker or a timeout
-- ended it, with a code of shared/fault-codes.ts; null if it was cancelled or skipped, or its process reported none.
create or replace function end_error(execution text, event text, ended_by text, clock text, stop_reason text, why text) returns jsonb
  language sql stable as $$
  select coalesce(
    (select r.composite_error from runner_job_execution_results r where r.execution_id = execution and not r.success),
    case when clock = 'overall_timeout'
           then jsonb_build_object('code', 'job_timed_out', 'severity', 'error', 'type', 'runner.overall_timeout', 'title', 'The job was not done in time',
                                   'detail', why, 'retryable', true)
         when clock = 'execution_timeout'
           then jsonb_build_object('code', 'job_timed_out', 'severity', 'error', 'type', 'runner.execution_timeout', 'title', 'The attempt took too long',
                                   'detail', why, 'retryable', false)
         when event = 'fail' and ended_by = 'broker' and stop_reason = 'forced'
           then jsonb_build_object('code', 'process_lost', 'severity', 'error', 'type', 'runner.forced', 'title', 'The attempt was ended by force',
                                   'detail', why, 'retryable', true)
         when event = 'fail' and ended_by = 'broker'
           then jsonb_build_object('code', 'process_lost', 'severity', 'error', 'type', 'runner.lost', 'title', 'The process that worked on the job is gone',
                                   'detail', why, 'retryable', true) end)
$$;

-- Gives free slots to waiting jobs, in order; returns the queues that had free slots and waiting jobs, whose polls are to look
-- again. A job that was withdrawn waits for a poll that could take it (with_withdrawn), a retry for the end of the execution
-- before it.
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
       set status = coalesce(job_status_after(l.status, 'release'), l.status), -- the queue timeout may have released it before
           has_slot = true, status_at = t, offered_until = null,
           deadline_at = least(t + ns(l.available_timeout), l.overall_at),
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from picked p where l.id = p.id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.event_tx, p.status as from_status
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at, tx)
    select r.org_id, r.id, r.runner_id, r.job_group, 'release', 'queued', job_status_after('queued', 'release'), t,
           r.event_tx
      from released r where r.from_status = 'queued'
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.n, waiting = q.waiting - c.n
      from (select r.runner_id, r.job_group, count(*)::int as n from released r group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select f.runner_id::text, f.job_group::text from free f;
end $$;
