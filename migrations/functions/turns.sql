-- The turns of signals that brokers execute, and the callbacks that are not signals. Lock order: queues, runner queues, jobs,
-- executions; so what a job's end means for its signal is a call of its own.

-- Begins the turn of a signal, or takes it up, and extends its lease; nothing if the lease is no longer the current one. One that never
-- began, as no broker ran or had room, counts as no execution (send_signals_back).
create or replace function begin_turn(org text, signal text, held_lease text) returns setof begun_turn
  language plpgsql as $$
declare
  t timestamptz;
begin
  perform lock_queues_of_signals(array[signal]);
  t := svc_now();
  return query
  with taken as (
    update queue_signal_live l set deadline_at = t + ns(task_lease_ns()), worker = 'broker'
     where l.org_id = org and l.id = signal and l.status = 'in-flight' and l.lease_id = held_lease and l.awaits_job is null
       and l.deadline_at > t
    returning l.*
  )
  select f.type, f.created_by_id, l.execution_count, l.place || ' ' || coalesce(l.reported_lease_id, ''),
         (select j.id::text from runner_job_live j where j.signal_id = l.id limit 1), f.key_id, f.contents
    from taken l join queue_signals f on f.org_id = l.org_id and f.id = l.id;
end $$;

-- Puts a turn off that no broker has room for: the same execution, some time later. False if the lease is no longer the current one.
create or replace function put_off_turn(org text, signal text, held_lease text, seconds double precision) returns boolean
  language plpgsql as $$
declare
  signal_type text;
begin
  perform lock_queues_of_signals(array[signal]);
  update queue_signal_live l
     set deadline_at = svc_now() + ns(task_lease_ns()) + seconds * interval '1 s', worker = null
    from queue_signals f
   where l.org_id = org and l.id = signal and l.status = 'in-flight' and l.lease_id = held_lease and l.awaits_job is null
     and f.org_id = l.org_id and f.id = l.id
  returning f.type into signal_type;
  if not found then
    return false;
  end if;
  perform graphile_worker.add_job('run-signal',
            json_build_object('org_id', org, 'signal_id', signal, 'lease_id', held_lease, 'type', signal_type),
            run_at => clock_timestamp() + seconds * interval '1 s', max_attempts => 3, priority => 10000,
            job_key => 'run-signal ' || held_lease); -- one task a lease, though the caller repeats this
  return true;
end $$;

-- Makes a signal wait for the job of its turn: without a lease, until the job ends. If it has ended already, so does the execution.
-- outcome: waits · ended · lost (the lease is no longer the current one)
create or replace function await_job(org text, signal text, held_lease text, job text) returns table (outcome text, wake text)
  language plpgsql as $$
begin
  perform lock_queues_of_signals(array[signal]);
  update queue_signal_live l set awaits_job = job, deadline_at = null, status_description = 'it waits for the end of ' || job
   where l.org_id = org and l.id = signal and l.status = 'in-flight' and l.lease_id = held_lease;
  if not found then
    return query select 'lost', null::text;
  elsif exists (select from runner_job_live j where j.id = job) then
    return query select 'waits', null::text;
  else
    return query select 'ended', w.id from (select null::text as id union all select * from end_signals_of_jobs(array[job])) w;
  end if;
end $$;

-- Ends the executions of signals whose jobs have ended. A job that somebody cancelled or flushed is not tried again.
create or replace function end_signals_of_jobs(job_ids text[]) returns setof text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  queue_ids text[];
  moves signal_move[];
begin
  queue_ids := lock_queues_of_signals(array(select l.id from queue_signal_live l where l.awaits_job = any(job_ids)));
  t := svc_now();
  moves := array(
    select row(l.id, report_event(
             case when d.status = 'finished' then 'finish'
                  when d.status = 'not-attempted' or d.status = 'cancelled' and d.clock is null then 'give-up'
                  else 'fail' end, l),
             case when d.runner_job_id is null then 'its job ' || l.awaits_job || ' does not exist any more'
                  when d.status <> 'finished'
                  then left('its job ' || l.awaits_job || ' ended as ' || d.status || coalesce(': ' || nullif(d.status_description, ''), ''),
                            1000) end,
             null, null,
             encode(convert_to(json_build_object('job_id', l.awaits_job, 'status', d.status, 'status_description', d.status_description,
                                                 'error', d.composite_error)::text, 'UTF8'), 'base64'), null)::signal_move
      from queue_signal_live l left join runner_job_ends d on d.runner_job_id = l.awaits_job
     where l.awaits_job = any(job_ids) and l.status = 'in-flight'
       and not exists (select from runner_job_live j where j.id = l.awaits_job));
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
  end if;
  return query select w from queues_with_work(queue_ids) w;
end $$;

-- What a lost task would have done: ends executions whose jobs have ended, and has jobs cancelled whose signals have ended.
create or replace function sweep_awaited_jobs(batch int) returns swept_signals
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  job_ids text[];
  wakes text[];
begin
  job_ids := array(
    select l.awaits_job::text from queue_signal_live l
     where l.awaits_job is not null and not exists (select from runner_job_live j where j.id = l.awaits_job) limit batch);
  wakes := array(select end_signals_of_jobs(job_ids));
  perform graphile_worker.add_job('cancel-job-of-signal', json_build_object('org_id', j.org_id, 'job_id', j.id),
                                  job_key => 'cancel-job-of-signal ' || j.id, max_attempts => 3)
     from runner_job_live j
    where j.signal_id is not null and not exists (select from queue_signal_live l where l.id = j.signal_id)
    limit batch;
  return row(cardinality(job_ids), wakes)::swept_signals;
end $$;

-- Begins a try of a callback, and gives it a while; nothing if another try has begun or it is settled.
create or replace function begin_callback(org text, signal text, nth int, tried int) returns setof begun_callback
  language sql as $$
  with taken as (
    update queue_signal_callbacks c set tries = c.tries + 1, due_at = svc_now() + ns(callback_lease_ns())
     where c.org_id = org and c.signal_id = signal and c.n = nth and c.status = 'pending' and c.tries = tried
       -- Redriven, it may have ended in another way: that end is not what this one follows.
       and exists (select from queue_signal_ends d where d.signal_id = c.signal_id and d.status = any(c.statuses))
    returning c.*
  )
  select c.kind, c.next_id::text, c.tries, c.key_id, c.contents, c.created_by_id,
         f.type, f.queue_id::text, f.owner_id, f.owner_type, f.context, d.execution_count,
         d.status, d.status_description, d.key_id, d.result, d.finished_at
    from taken c
    join queue_signals f on f.org_id = c.org_id and f.id = c.signal_id
    join queue_signal_ends d on d.signal_id = c.signal_id
$$;

-- How long a try of a callback may take, before it is taken for lost and made again.
create or replace function callback_lease_ns() returns bigint language sql immutable parallel safe return 300 * 1000000000::bigint;

-- Writes what came of a try: done, failed, or (again_in) that it is to be made again.
create or replace function settle_callback(org text, signal text, nth int, tried int, outcome text, description text,
                                           again_in double precision) returns boolean
  language sql as $$
  with settled as (
    update queue_signal_callbacks c
       set status = coalesce(outcome, c.status), status_description = description,
           settled_at = case when outcome is not null then svc_now() end,
           due_at = case when outcome is null then svc_now() + again_in * interval '1 s' end
     where c.org_id = org and c.signal_id = signal and c.n = nth and c.status = 'pending' and c.tries = tried
    returning c.n
  )
  select exists (select from settled)
$$;

-- Has callbacks tried whose time has come. One whose signal was redriven waits until that has ended again.
create or replace function sweep_callbacks(batch int) returns swept_signals
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  due int;
begin
  with due as materialized (
    select c.signal_id, c.n from queue_signal_callbacks c
     where c.due_at <= t order by c.due_at limit batch for no key update skip locked
  ), taken as (
    update queue_signal_callbacks c set due_at = t + ns(task_lease_ns()) from due d where c.signal_id = d.signal_id and c.n = d.n
    returning c.org_id, c.signal_id, c.n, c.tries
  ), added as materialized (
    select graphile_worker.add_job('call-back',
             json_build_object('org_id', c.org_id, 'signal_id', c.signal_id, 'n', c.n, 'tries', c.tries),
             job_key => 'call-back ' || c.signal_id || ' ' || c.n, max_attempts => 3) from taken c
  )
  select count(*) into due from added;
  return row(due, '{}'::text[])::swept_signals;
end $$;
