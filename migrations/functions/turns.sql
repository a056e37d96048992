-- The turns of signals that brokers execute, and the callbacks that are not signals. Lock order: queues, runner queues, jobs,
-- executions; so what a job's end means for its signal is a call of its own.

-- Begins the turn of a signal with a lease of the beginner's own, so that one turn has one beginner; nothing if the lease is no longer
-- the current one, or if expires_at has come. The beginner may repeat it. A turn that never began, as no broker ran or had room, counts
-- as no execution (send_signals_back).
create or replace function begin_turn(org text, signal text, held_lease text, own_lease text, beginner text) returns setof begun_turn
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
begin
  perform lock_queues_of_signals(array[signal]);
  t := svc_now();
  return query
  with taken as (
    update queue_signal_live l
       set lease_id = own_lease, deadline_at = t + ns(task_lease_ns()), worker = beginner, status_description = ''
     where l.org_id = org and l.id = signal and l.status = 'in-flight' and l.runs = 'task' and l.awaits_job is null
       and (l.lease_id = own_lease and l.deadline_at > t
            or l.lease_id = held_lease and l.worker is null and (l.expires_at is null or l.expires_at > t))
    returning l.*
  )
  select f.type, f.created_by_id, l.execution_count, l.place || ' ' || coalesce(l.reported_lease_id, ''),
         (select j.id::text from runner_job_live j where j.signal_id = l.id limit 1), f.key_id, f.contents
    from taken l join queue_signals f on f.org_id = l.org_id and f.id = l.id;
end $$;

-- How many turns of one type of an org one statement hands to brokers; the others wait in the backlog, as do all while some wait there.
create or replace function most_handed() returns int language sql immutable parallel safe return 100;

create or replace function has_backlog(org text, kind text) returns boolean
  language sql stable
  return exists (select from turn_backlog b where b.org_id = org and b.type = kind);

-- Puts off turns that a broker has no room for: the same executions, when they are taken from the backlog. One whose lease is no longer
-- the current one is left as it is.
create or replace function put_off_turns(signal_ids text[], lease_ids text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform lock_queues_of_signals(signal_ids);
  with back as (
    update queue_signal_live l
       set deadline_at = l.expires_at, worker = null, status_description = 'it waits until a broker has room for more of its org'
      from unnest(signal_ids, lease_ids) a (signal_id, lease_id)
     where l.id = a.signal_id and l.lease_id = a.lease_id and l.status = 'in-flight' and l.runs = 'task' and l.awaits_job is null
    returning l.org_id, l.id, l.lease_id
  )
  insert into turn_backlog (org_id, type, signal_id, lease_id)
  select f.org_id, f.type, f.id, b.lease_id from back b join queue_signals f on f.org_id = b.org_id and f.id = b.id;
end $$;

-- The same for callbacks. A try that was begun and then put off was none.
create or replace function put_off_callbacks(signal_ids text[], ns int[], all_begins int[], are_begun boolean[]) returns void
  language sql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with back as (
    update queue_signal_callbacks c
       set due_at = null, tries = c.tries - a.is_begun::int,
           status_description = 'it waits until a broker has room for more of its org'
      from unnest(signal_ids, ns, all_begins, are_begun) a (signal_id, n, begins, is_begun)
     where c.signal_id = a.signal_id and c.n = a.n and c.begins = a.begins and c.status = 'pending' and c.due_at is not null
    returning c.org_id, c.signal_id, c.n, c.begins
  )
  insert into turn_backlog (org_id, type, signal_id, callback, begins)
  select b.org_id, 'callback', b.signal_id, b.n, b.begins from back b
$$;

-- Whether what waits in the backlog still does: its signal, or its callback, has not ended, nor begun anew since.
create or replace function is_backlogged(b turn_backlog) returns boolean
  language sql stable
  return case when (b).callback is null
              then exists (select from queue_signal_live l where l.id = (b).signal_id and l.lease_id = (b).lease_id and l.worker is null)
              else exists (select from queue_signal_callbacks c where c.signal_id = (b).signal_id and c.n = (b).callback
                              and c.begins = (b).begins and c.status = 'pending' and c.due_at is null) end;

-- Takes the first of a line for a broker that has room: each has the usual time to begin. What is backlogged no more is left out, and
-- where there is some of it, all of it near the front goes, so that nobody waits behind what was cancelled.
create or replace function take_backlog(org text, kind text, most int)
  returns table (signal_id text, lease_id text, callback int, begins int)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  line turn_backlog[];
  t timestamptz;
begin
  line := array(select b from turn_backlog b where b.org_id = org and b.type = kind order by b.n limit most for update skip locked);
  perform lock_signal_queues(array(select l.queue_id::text from unnest(line) b join queue_signal_live l on l.id = b.signal_id
                                    where b.lease_id is not null));
  t := svc_now();
  delete from turn_backlog b where b.org_id = org and b.type = kind and b.n = any(array(select a.n from unnest(line) a));
  if exists (select from unnest(line) b where not is_backlogged(b)) then
    delete from turn_backlog b
     where b.org_id = org and b.type = kind
       and b.n = any(array(select x.n from turn_backlog x
                            where x.org_id = org and x.type = kind
                              and x.n = any(array(select f.n from (select y as b, y.n from turn_backlog y where y.org_id = org and y.type = kind
                                                                    order by y.n limit most_forgotten()) f
                                                   where not is_backlogged(f.b)))
                            for update skip locked));
  end if;
  return query
  update queue_signal_live l set deadline_at = least(t + ns(task_lease_ns()), l.expires_at)
    from unnest(line) b
   where l.id = b.signal_id and l.org_id = b.org_id and l.lease_id = b.lease_id and l.status = 'in-flight' and l.worker is null
     and (l.expires_at is null or l.expires_at > t)
  returning l.id::text, l.lease_id, null::int, null::int;
  return query
  update queue_signal_callbacks c set due_at = t + ns(task_lease_ns())
    from unnest(line) b
   where c.signal_id = b.signal_id and c.n = b.callback and c.begins = b.begins and c.status = 'pending' and c.due_at is null
  returning c.signal_id::text, null::text, c.n, c.begins;
end $$;

-- How far behind the front one statement looks for what is backlogged no more.
create or replace function most_forgotten() returns int language sql immutable parallel safe return 5000;

-- The lines of the backlog after this one, by org and type: a look at the index each, however long they are.
create or replace function backlog_lines(after_org text, after_type text, most int) returns table (org_id text, type text)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with recursive line as (
    (select b.org_id, b.type from turn_backlog b where (b.org_id, b.type) > (after_org, after_type)
      order by b.org_id, b.type limit 1)
    union all
    select n.org_id, n.type
      from line l
     cross join lateral (select b.org_id, b.type from turn_backlog b where (b.org_id, b.type) > (l.org_id, l.type)
                          order by b.org_id, b.type limit 1) n
  )
  select l.org_id::text, l.type from line l limit most
$$;

-- Makes a signal wait for the job of its turn: without a lease, until the job ends. If it has ended already, so does the execution.
-- outcome: waits · ended · lost (the lease is no longer the current one)
create or replace function await_job(org text, signal text, held_lease text, job text) returns table (outcome text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
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
create or replace function begin_callback(org text, signal text, nth int, begun int) returns setof begun_callback
  language sql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with taken as (
    update queue_signal_callbacks c
       set begins = c.begins + 1, tries = c.tries + 1, status_description = '', due_at = svc_now() + ns(callback_lease_ns())
     where c.org_id = org and c.signal_id = signal and c.n = nth and c.status = 'pending' and c.begins = begun
       -- Redriven, it may have ended in another way: that end is not what this one follows.
       and exists (select from queue_signal_ends d where d.signal_id = c.signal_id and d.status = any(c.statuses))
    returning c.*
  )
  select c.kind, c.next_id::text, c.tries, c.key_id, c.contents, c.created_by_id,
         f.type, f.queue_id::text, f.owner_id, f.owner_type, f.context, d.execution_count,
         d.status, d.status_description, d.key_id, d.result, d.finished_at,
         c.begins, f.awaited_by::text, f.caused_by::text, f.scheduled_for
    from taken c
    join queue_signals f on f.org_id = c.org_id and f.id = c.signal_id
    join queue_signal_ends d on d.signal_id = c.signal_id
$$;

-- How long a try of a callback may take, before it is taken for lost and made again.
create or replace function callback_lease_ns() returns bigint language sql immutable parallel safe return 300 * 1000000000::bigint;

-- Writes what came of a try: done, failed, or (again_in) that it is to be made again.
create or replace function settle_callback(org text, signal text, nth int, begun int, outcome text, description text,
                                           again_in double precision) returns boolean
  language sql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  with settled as (
    update queue_signal_callbacks c
       set status = coalesce(outcome, c.status), status_description = description,
           settled_at = case when outcome is not null then svc_now() end,
           due_at = case when outcome is null then svc_now() + again_in * interval '1 s' end
     where c.org_id = org and c.signal_id = signal and c.n = nth and c.status = 'pending' and c.begins = begun
    returning c.n
  )
  select exists (select from settled)
$$;

-- Has callbacks tried whose time has come: those of an org of which some wait in the backlog, or of which there are many, wait there too.
-- One whose signal was redriven waits until that has ended again.
create or replace function sweep_callbacks(batch int) returns swept_signals
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  due int;
begin
  with due as materialized (
    select c.signal_id, c.n from queue_signal_callbacks c
     where c.due_at <= t order by c.due_at limit batch for no key update skip locked
  ), judged as materialized (
    select d.signal_id, d.n,
           row_number() over (partition by c.org_id order by c.due_at) <= most_handed() and not has_backlog(c.org_id, 'callback') as is_handed
      from due d join queue_signal_callbacks c on c.signal_id = d.signal_id and c.n = d.n
  ), taken as (
    update queue_signal_callbacks c set due_at = case when j.is_handed then t + ns(task_lease_ns()) end
      from judged j where c.signal_id = j.signal_id and c.n = j.n
    returning c.org_id, c.signal_id, c.n, c.begins, j.is_handed
  ), lined_up as (
    insert into turn_backlog (org_id, type, signal_id, callback, begins)
    select c.org_id, 'callback', c.signal_id, c.n, c.begins from taken c where not c.is_handed
  ), added as materialized (
    select graphile_worker.add_job('call-back',
             json_build_object('org_id', c.org_id, 'signal_id', c.signal_id, 'n', c.n, 'begins', c.begins),
             job_key => 'call-back ' || c.signal_id || ' ' || c.n, max_attempts => 3) from taken c where c.is_handed
  )
  select (select count(*) from taken) + (select 0 * count(*) from added) into due;
  return row(due, '{}'::text[])::swept_signals;
end $$;
