-- The moves of queues of signals, and what operators do with them. Lock order: a queue's counters, its row.

-- Moves queues by the table of moves; where it has no such move nothing happens. Returns those that moved. The caller holds the
-- locks of their counters.
create or replace function move_queues(ids text[], event text, description text, t timestamptz) returns setof text
  language sql as $$
  with changed as (
    update queues q
       set status = queue_status_after(q.status, event), status_description = description, status_at = t,
           paused_until = null, paused_note = null, paused_by_id = null,
           deadline_at = case when event in ('wake', 'resume') and q.idle_timeout > 0 then t + ns(q.idle_timeout) end
     where q.id = any(ids) and queue_status_after(q.status, event) is not null
    returning q.id, q.org_id, q.status
  ), counted as (
    update queue_counters c set is_paused = q.status = 'paused', is_idle = q.status = 'idle'
      from changed q where c.queue_id = q.id
  ), told as (
    insert into status_history (owner_id, org_id, status, description, at)
    select q.id, q.org_id, q.status, description, t from changed q
  )
  select q.id::text from changed q
$$;

-- A signal in an idle queue wakes it.
create or replace function wake_queues(ids text[], t timestamptz) returns void
  language plpgsql as $$
begin
  if exists (select from queue_counters c where c.queue_id = any(ids) and c.is_idle) then
    perform move_queues(ids, 'wake', '', t);
  end if;
end $$;

-- outcome: created · taken (name and owner) · full (the org has as many as it may)
create or replace function create_queue(org text, queue text, queue_name text, owner text, owner_kind text, depth int, in_flight int,
                                        idle bigint, queue_metadata jsonb, most int, actor text) returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  perform 1 from orgs o where o.id = org for no key update; -- counts one creation after the other
  if (select count(*) from (select from queues q where q.org_id = org and q.deleted_at is null limit most) q) >= most then
    return 'full';
  end if;
  insert into queues (id, org_id, name, owner_id, owner_type, idle_timeout, metadata, status_at, deadline_at, created_at, updated_at,
                      created_by_id)
  values (queue, org, queue_name, owner, owner_kind, idle, queue_metadata, t, case when idle > 0 then t + ns(idle) end, t, t, actor)
      on conflict (org_id, owner_type, owner_id, name) where deleted_at is null do nothing;
  if not found then
    return 'taken';
  end if;
  insert into queue_counters (queue_id, org_id, max_depth, max_in_flight, last_used_at) values (queue, org, depth, in_flight, t);
  insert into status_history (owner_id, org_id, status, description, at) values (queue, org, 'active', 'the queue was created', t);
  return 'created';
end $$;

-- Changes what is not null; what stays the same keeps its version. outcome: changed · not-found · taken (the name) · stale (the version is another) · managed (that of a
-- lane stays)
create or replace function change_queue(org text, queue text, expected bigint, queue_name text, depth int, in_flight int, idle bigint,
                                        queue_metadata jsonb)
  returns table (outcome text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_variable
declare
  t timestamptz;
  q queues;
  is_other boolean;
begin
  perform lock_signal_queues(array[queue]);
  t := svc_now();
  select * into q from queues x where x.org_id = org and x.id = queue and x.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  elsif expected is not null and q.version <> expected then
    return query select 'stale', null::text;
    return;
  elsif (q.install_id is not null or q.app_id is not null)
        and (queue_name <> q.name
             or q.name = 'changes' and exists (select from queue_counters c where c.queue_id = queue and c.max_in_flight <> in_flight)) then
    return query select 'managed', null::text;
    return;
  end if;
  is_other := (coalesce(queue_name, q.name), coalesce(idle, q.idle_timeout), coalesce(queue_metadata, q.metadata)) is distinct from
              (q.name, q.idle_timeout, q.metadata)
              or exists (select from queue_counters c where c.queue_id = queue and (c.max_depth <> depth or c.max_in_flight <> in_flight));
  if not is_other then
    return query select 'changed', null::text;
    return;
  end if;
  begin
    update queues x
       set name = coalesce(queue_name, x.name), idle_timeout = coalesce(idle, x.idle_timeout),
           metadata = coalesce(queue_metadata, x.metadata), version = x.version + 1, updated_at = t,
           deadline_at = case when idle is null or x.status <> 'active' then x.deadline_at when idle > 0 then t + ns(idle) end
     where x.id = queue;
  exception when unique_violation then
    return query select 'taken', null::text;
    return;
  end;
  update queue_counters c set max_depth = coalesce(depth, c.max_depth), max_in_flight = coalesce(in_flight, c.max_in_flight)
   where c.queue_id = queue;
  perform start_turns(array[queue], t);
  return query select 'changed', w.id from (select null::text as id union all select k from queues_with_work(array[queue]) k) w;
end $$;

-- Pauses a queue, or changes its pause, or resumes it. outcome: done · unchanged · not-found
create or replace function set_queue_pause(org text, queue text, event text, note text, until timestamptz, actor text)
  returns table (outcome text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  found_status text;
  is_moved boolean;
begin
  perform lock_signal_queues(array[queue]);
  t := svc_now();
  select q.status into found_status from queues q where q.org_id = org and q.id = queue and q.deleted_at is null for no key update;
  if not found then
    return query select 'not-found', null::text;
    return;
  end if;
  is_moved := exists (select from move_queues(array[queue], event, coalesce(note, ''), t));
  if event = 'pause' then
    update queues q set paused_until = until, paused_note = note, paused_by_id = actor, deadline_at = until,
                        status_description = coalesce(note, '')
     where q.id = queue;
  end if;
  if is_moved or event = 'pause' then
    update queues q set version = q.version + 1, updated_at = t where q.id = queue;
  end if;
  if is_moved then
    perform start_turns(array[queue], t);
  end if;
  return query select case when is_moved or event = 'pause' then 'done' else 'unchanged' end, w.id
                 from (select null::text as id union all select k from queues_with_work(array[queue]) k
                       union all select queue where event = 'pause') w; -- parked claims are told of a pause
end $$;

-- Deletes a queue in which nothing is and that nothing fills. outcome: deleted · not-found ·
-- managed (a lane) · not-empty · has-emitters
create or replace function delete_queue(org text, queue text) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform lock_signal_queues(array[queue]);
  perform 1 from queues q where q.org_id = org and q.id = queue and q.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif exists (select from queues q join installs i on i.org_id = q.org_id and i.id = q.install_id
                 where q.org_id = org and q.id = queue and i.deleted_at is null)
        or exists (select from queues q join apps a on a.org_id = q.org_id and a.id = q.app_id
                    where q.org_id = org and q.id = queue and a.deleted_at is null) then
    return 'managed';
  elsif (select c.waiting + c.delayed + c.in_flight > 0 from queue_counters c where c.queue_id = queue) then
    return 'not-empty';
  elsif exists (select from queue_emitters e where e.queue_id = queue) then
    return 'has-emitters';
  end if;
  update queues q set deleted_at = svc_now(), updated_at = svc_now(), deadline_at = null where q.id = queue;
  delete from queue_counters c where c.queue_id = queue;
  return 'deleted';
end $$;

-- Ends pauses whose time has come, and makes queues idle that have had no signal for their idle timeout. When a queue was used last
-- is found out only now, so a busy queue is looked at once an idle timeout.
create or replace function sweep_signal_queues(batch int) returns swept_signals
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  ids text[];
  resumed text[];
begin
  ids := array(select q.id::text from queues q where q.deadline_at <= t order by q.deadline_at limit batch);
  if cardinality(ids) = 0 then
    return row(0, '{}'::text[])::swept_signals;
  end if;
  perform lock_signal_queues(ids);
  t := svc_now();
  perform 1 from queues q where q.id = any(ids) order by q.id for no key update;
  resumed := array(select move_queues(array(select q.id::text from queues q
                                             where q.id = any(ids) and q.status = 'paused' and q.paused_until <= t),
                                      'resume', 'the pause is over', t));
  perform move_queues(array(select q.id::text from queues q join queue_counters c on c.queue_id = q.id
                             where q.id = any(ids) and q.status = 'active' and q.deadline_at <= t
                               and c.waiting + c.delayed + c.in_flight = 0 and c.last_used_at + ns(q.idle_timeout) <= t),
                      'idle', 'no signal for its idle timeout', t);
  update queues q
     set deadline_at = case when c.waiting + c.delayed + c.in_flight > 0 then t + ns(q.idle_timeout)
                            else greatest(c.last_used_at + ns(q.idle_timeout), t + interval '1 s') end
    from queue_counters c
   where q.id = any(ids) and q.status = 'active' and q.deadline_at <= t and c.queue_id = q.id;
  perform start_turns(resumed, t);
  return row(cardinality(ids), array(select w from queues_with_work(resumed) w))::swept_signals;
end $$;
