-- The sweeps. Every broker calls each of them at an interval (broker/clocks/sweep.ts); there is no leader. A call handles a
-- bounded batch and returns how many rows were due and what to wake: queues with available jobs, orgs whose jobs moved,
-- processes with new orders. The caller repeats it while there is more.

-- Marks that a broker is up: called every 5 s, and by each sweep that finds the mark older. After a gap of over 15 s all
-- silence clocks restart, because processes could not reach a broker.
create or replace function mark_listening() returns broker_listening
  language sql as $$
  update broker_listening
     set gap_from = case when svc_now() - marked_at > interval '15 s' then marked_at else gap_from end,
         resumed_at = case when svc_now() - marked_at > interval '15 s' then svc_now() else resumed_at end,
         marked_at = svc_now()
  returning broker_listening
$$;

create or replace function listening() returns broker_listening
  language plpgsql as $$
declare
  b broker_listening;
begin
  select * into b from broker_listening;
  if svc_now() - b.marked_at > interval '5 s' then
    b := mark_listening();
  end if;
  return b;
end $$;

-- When the deadline of an execution takes effect: one that passed while no broker was up waits 60 s more, for results that
-- agents kept meanwhile.
create or replace function act_at(deadline timestamptz, b broker_listening) returns timestamptz
  language sql immutable
  return case when deadline > (b).gap_from and deadline <= (b).resumed_at
              then (b).resumed_at + interval '60 s' else deadline end;

create or replace function sweep_jobs(batch int) returns swept
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  b broker_listening;
  t timestamptz := svc_now();
  ids text[];
  keys queue_key[];
  moves job_move[];
  result swept;
begin
  select array_agg(d.id::text), array_agg(distinct row(d.runner_id::text, d.job_group::text)::queue_key)
    into ids, keys
    from (select l.id, l.runner_id, l.job_group from runner_job_live l
           where l.deadline_at <= t order by l.deadline_at limit batch) d;
  if ids is null then
    return row(0, '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  end if;
  b := listening();
  perform lock_queues(keys);
  perform 1 from runner_job_live l where l.id = any(ids) order by l.id for update;
  perform lock_executions(ids);
  t := svc_now();

  with judged as materialized (select * from judge_due_jobs(ids, b, t)), rearmed as (
    update runner_job_live l set deadline_at = j.rearm_at from judged j where l.id = j.job_id and j.event is null
  )
  select array_agg(row(j.job_id, j.event, j.execution_status, 'broker', j.description, j.clock,
                       j.stop_reason, null)::job_move) filter (where j.event is not null)
    into moves from judged j;
  if moves is not null then
    perform release_overdue(array(select m.job_id from unnest(moves) m where m.event = 'release'), t);
    perform move_jobs(array(select m from unnest(moves) m where m.event <> 'release'), t);
  end if;
  result.process_ids := array(select distinct s.process_id::text
                                from unnest(moves) m join stopping_executions s on s.runner_job_id = m.job_id
                               where m.stop_reason is not null and s.is_ours and s.process_id is not null);
  result.due := cardinality(ids);
  result.wakes := array(select k from release_jobs(keys, false, t) k);
  result.org_ids := array(select distinct q.org_id::text from runner_queues q
                            join unnest(keys) k using (runner_id, job_group));
  return result;
end $$;

-- Which clock of a live job has ended, read under its queue's lock. A null event only sets the next deadline.
create or replace function judge_due_jobs(job_ids text[], b broker_listening, t timestamptz)
  returns table (job_id text, event text, execution_status text, description text, clock text, stop_reason text,
                 rearm_at timestamptz)
  language sql stable as $$
  select l.id::text, v.event,
         case v.event when 'cancel' then case when l.execution_id is not null then 'cancelled' end
                      when 'retry' then 'timed-out' when 'expire' then 'timed-out'
                      when 'return' then 'not-attempted' end,
         case v.event when 'cancel' then 'the overall timeout passed'
                      when 'retry' then 'the execution timeout passed; it is tried again'
                      when 'expire' then 'the execution timeout passed'
                      when 'return' then 'no process confirmed that it had received this job'
                      when 'withdraw' then 'nobody took it within the available timeout' end,
         case v.event when 'cancel' then 'overall_timeout' when 'expire' then 'execution_timeout' end,
         case when l.execution_id is null or (e.is_ours and e.status = 'pending') then null
              when v.event = 'cancel' then 'cancelled' when v.event in ('retry', 'expire') then 'timed-out' end,
         case when v.event is null then greatest(t + interval '200 ms', least(l.overall_at,
           case l.status
             when 'queued' then case when q.held is not null then l.overall_at -- refresh_runners sets it when the hold ends
                                     when l.blocked_by is not null then t + interval '10 s'
                                     else l.status_at + ns(l.queue_timeout) end
             when 'available' then l.status_at + ns(l.available_timeout)
             else case when e.confirmed_at is null
                       then least(greatest(v.unheard_at, t + interval '5 s'), act_at(e.deadline_at, b))
                       else act_at(e.deadline_at, b) end end)) end
    from runner_job_live l
    join runner_queues q on q.runner_id = l.runner_id and q.job_group = l.job_group
    left join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
    left join lateral (
      select greatest(e.created_at, (b).resumed_at) + interval '30 s' as unheard_at) c on true
    left join lateral (
      select c.unheard_at, case
        when l.overall_at <= t then 'cancel'
        when l.status = 'in-progress' and act_at(e.deadline_at, b) <= t
          then case when may_retry(l, t) then 'retry' else 'expire' end
        when l.status = 'in-progress' and e.confirmed_at is null and c.unheard_at <= t and (e.is_ours or exists (
               select from runner_processes p join runner_process_beats w on w.process_id = p.id
                where p.runner_id = l.runner_id and p.status = 'active' and p.draining is null
                  and p.going_away_at is null and serves_group(p.serves, p.runner_id, l.job_group)
                  and w.previous_beat_at > e.created_at)) then 'return'
        when l.status = 'queued' and l.blocked_by is null and q.held is null
             and l.status_at + ns(l.queue_timeout) <= t then 'release'
        when l.status = 'available' and l.status_at + ns(l.available_timeout) <= t then 'withdraw' end as event) v on true
   where l.id = any(job_ids) and l.deadline_at <= t
$$;

-- After the queue timeout a job is available, as the spec says; but without a slot no poll gets it.
create or replace function release_overdue(job_ids text[], t timestamptz) returns void
  language sql as $$
  with released as (
    update runner_job_live l
       set status = job_status_after(l.status, 'release'), status_at = t,
           deadline_at = least(t + ns(l.available_timeout), l.overall_at),
           event_tx = greatest(l.event_tx, pg_current_xact_id())
     where l.id = any(job_ids)
    returning l.*
  )
  insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                 description, at, tx)
  select r.org_id, r.id, r.runner_id, r.job_group, 'release', 'queued', r.status, 'the queue timeout passed', t,
         r.event_tx
    from released r
$$;

-- Ends of the grace: first the slot is freed, later (after a loss) a retry may start. An execution that never confirmed its stop
-- leaves its workspace blocked.
create or replace function sweep_stopping(batch int) returns swept
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  keys queue_key[];
  over text[];
  freed text[];
  result swept;
begin
  select array_agg(distinct row(d.runner_id::text, d.job_group)::queue_key),
         array_agg(d.execution_id::text) filter (where d.gone_by <= t),
         array_agg(d.execution_id::text) filter (where d.gone_by > t)
    into keys, over, freed
    from (select * from stopping_executions s where s.deadline_at <= t order by s.deadline_at limit batch) d;
  if keys is null then
    return row(0, '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  end if;
  perform lock_queues(keys);
  if over is not null then
    perform block_abandoned(over, t);
  end if;
  with slotless as (
    update stopping_executions s set holds_slot = false, deadline_at = s.gone_by
     where s.execution_id = any(freed) and s.holds_slot
    returning s.runner_id, s.job_group
  )
  update runner_queues q set in_use = q.in_use - c.n
    from (select s.runner_id, s.job_group, count(*)::int as n from slotless s group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group;
  result.due := coalesce(cardinality(over), 0) + coalesce(cardinality(freed), 0);
  result.wakes := array(select k from confirm_stopped(coalesce(over, '{}'), t) k)
               || array(select k from release_jobs(keys, false, t) k);
  result.org_ids := '{}';
  result.process_ids := '{}';
  return result;
end $$;

-- Silence: offline after 60 s, inactive after 5 min; then the broker gives up on the process and its executions.
create or replace function sweep_processes(batch int) returns swept
  language plpgsql as $$
declare
  b broker_listening;
  t timestamptz := svc_now();
  due text[];
  quiet text[];
  dead text[];
  silent_since timestamptz[];
  runner_ids text[];
  result swept;
begin
  select array_agg(d.id::text) into due
    from (select p.id from runner_processes p where p.deadline_at <= t
           order by p.deadline_at limit batch for update skip locked) d;
  result := row(coalesce(cardinality(due), 0), '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  if due is null then
    return result;
  end if;
  b := listening();
  t := svc_now();
  select array_agg(p.id::text) filter (where p.status in ('pending', 'active') and s.silent between interval '60 s' and interval '299.999999 s'),
         array_agg(p.id::text) filter (where s.silent >= interval '5 min'),
         array_agg(t - s.silent) filter (where s.silent >= interval '5 min')
    into quiet, dead, silent_since
    from runner_processes p
    join runner_process_beats w on w.process_id = p.id
   cross join lateral (select t - greatest(w.last_seen_at, (b).resumed_at) as silent) s
   where p.id = any(due);
  perform move_processes(quiet, 'silence', 'silent for 60 s', t);
  perform move_processes(dead, 'give-up', 'silent for 5 min: the broker gave up on it', t);
  update runner_processes p
     set deadline_at = greatest(t + interval '200 ms', greatest(w.last_seen_at, (b).resumed_at)
                       + case when p.status in ('pending', 'active') then interval '60 s' else interval '5 min' end)
    from runner_process_beats w
   where p.id = any(due) and w.process_id = p.id and p.status not in ('inactive', 'shut-down');
  select array_agg(distinct p.runner_id::text), coalesce(array_agg(distinct p.org_id::text), '{}')
    into runner_ids, result.org_ids
    from runner_processes p where p.id = any(quiet) or p.id = any(dead);
  if runner_ids is null then
    return result;
  end if;
  perform move_shutdowns(dead, null, 'fail', 'the process fell silent', t);
  perform lock_queues(queues_of_runners(runner_ids)); -- all at once: the calls below lock them in parts, which could deadlock
  result.wakes := array(select k from refresh_runners(runner_ids) k); -- first, so that no slot of a lost process is given to a job
  if dead is not null then
    result.wakes := result.wakes || array(select k from end_executions(dead, 'lost', 'process lost', false) k);
    perform graphile_worker.add_job('runner-inactive', json_build_object('process_id', p.id, 'runner_id', p.runner_id,
              'org_id', p.org_id, 'at', t), job_key := 'runner-inactive:' || p.id) from runner_processes p
      where p.id = any(dead);
    perform tell_inactive_runners(dead, silent_since, t);
  end if;
  return result;
end $$;

-- Shutdowns whose deadline has passed: ends the executions that still run, and records it.
create or replace function sweep_shutdowns(batch int) returns swept
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  due text[];
  result swept;
begin
  select array_agg(d.runner_process_id::text) into due
    from (select d.runner_process_id from runner_process_shutdowns d
           where d.deadline_at <= t order by d.deadline_at limit batch for update skip locked) d;
  result := row(coalesce(cardinality(due), 0), '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  if due is null then
    return result;
  end if;
  result.wakes := array(select k from end_executions(due, 'forced', 'shut down by an operator', false) k);
  -- The order stays until the process is gone: it may have had no connection until now.
  update runner_process_shutdowns d
     set deadline_at = t + interval '1 min', status_description = 'its deadline passed: what still ran was cut',
         updated_at = t
   where d.runner_process_id = any(due) and d.deadline_at <= t;
  result.org_ids := array(select distinct p.org_id::text from runner_processes p where p.id = any(due));
  result.process_ids := due;
  return result;
end $$;

-- Pauses with an end that has passed.
create or replace function sweep_pauses(batch int) returns swept
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  runner_ids text[];
  group_ids text[];
  result swept;
begin
  -- Lock order as everywhere: groups, their queues, runners.
  select array_agg(g.id::text) into group_ids
    from (select g.id from runner_groups g where g.paused_until <= t order by g.id limit batch
             for no key update skip locked) g;
  select array_agg(u.id::text) into runner_ids
    from runners u
   where u.runner_group_id = any(group_ids) -- all of them: no later sweep would find the rest
      or u.id in (select p.id from runners p where p.paused_until <= t limit batch);
  result := row(coalesce(cardinality(group_ids), 0) + coalesce(cardinality(runner_ids), 0), '{}'::queue_key[],
                '{}'::text[], '{}'::text[])::swept;
  if result.due = 0 then
    return result;
  end if;
  perform lock_queues(array(select row(q.runner_id::text, q.job_group::text)::queue_key
                              from runner_queues q where q.runner_id = any(runner_ids)));
  update runners u set paused_at = null, paused_until = null, paused_note = null, paused_by_id = null
   where u.id = any(runner_ids) and u.paused_until <= t;
  update runner_groups g set paused_at = null, paused_until = null, paused_note = null, paused_by_id = null
   where g.id = any(group_ids);
  if runner_ids is not null then
    result.wakes := array(select k from refresh_runners(runner_ids) k);
  end if;
  return result;
end $$;

-- Every 5 s: queues with free slots and jobs that may take them, in case a wake-up was lost. Takes no lock when there are none.
create or replace function sweep_queues(batch int) returns swept
  language plpgsql as $$
declare
  keys queue_key[];
  result swept;
begin
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) into keys
    from (select q.runner_id, q.job_group from runner_queues q
           where q.waiting > 0 and q.slots > q.in_use
             and exists (select from runner_job_live l
                          where l.runner_id = q.runner_id and l.job_group = q.job_group and not l.has_slot
                            and l.withdrawals = 0 and l.blocked_by is null)
           limit batch) q;
  result := row(coalesce(cardinality(keys), 0), '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  if keys is not null then
    perform lock_queues(keys);
    result.wakes := array(select k from release_jobs(keys, false, svc_now()) k);
  end if;
  return result;
end $$;
