-- Heartbeats, and the orders that processes get with every answer.

-- Records heartbeats and other requests of processes, each process at most once a call. `held_by` and `held` pair processes
-- with the executions that they report to hold; `tells` is false for a process that reported none of this. Returns a row for
-- each process that exists under its org and runner, with orders only for our own that sent a heartbeat; and, if queues are to
-- be woken, one last row with only those.
create or replace function beat_processes(ids text[], org_ids text[], runner_ids text[], are_beats boolean[], alive bigint[],
                               versions text[], tells boolean[], held_by text[], held text[])
  returns setof beaten_process
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  answers beaten_process[];
  beating text[];
  telling text[];
  asleep text[];
  ended text[];
  told text[];
  stopped text[];
  keys queue_key[];
  woken queue_key[] := '{}';
  is_unheard boolean; -- an execution that is held is not confirmed yet
  is_over boolean; -- an execution that is held has ended
  over_by text[];
  over_orders json[];
begin
  with written as ( -- in the order of ids, which nested loops keep, so that two flushes cannot deadlock
    update runner_process_beats b
       set last_seen_at = t,
           previous_beat_at = case when r.is_beat then b.last_beat_at else b.previous_beat_at end,
           last_beat_at = case when r.is_beat then t else b.last_beat_at end,
           beats = b.beats + r.is_beat::int,
           alive_time = case when r.is_beat then r.alive else b.alive_time end,
           version = case when r.is_beat and r.version <> '' then r.version else b.version end
      from (select * from unnest(ids, org_ids, runner_ids, are_beats, alive, versions, tells)
                          u (id, org_id, runner_id, is_beat, alive, version, tells) order by u.id) r
      join runner_processes p on p.id = r.id and p.org_id = r.org_id and p.runner_id = r.runner_id
      join runners u on u.id = p.runner_id
      join runner_group_settings g on g.runner_group_id = u.runner_group_id
     where b.process_id = p.id
    returning p.id::text, r.org_id, r.runner_id, p.type, p.is_ours, p.status, p.must_register_anew, g.version, r.is_beat,
              r.tells
  )
  select array_agg(row(w.id, w.org_id, w.runner_id, w.type, w.status, w.is_ours, t, null,
                       case when w.is_ours then w.version end, null)::beaten_process),
         array_agg(w.id) filter (where w.is_ours and w.is_beat),
         array_agg(w.id) filter (where w.is_ours and w.tells and w.status <> 'shut-down'),
         array_agg(w.id) filter (where w.status in ('offline', 'inactive') or (w.status = 'pending' and w.is_beat)),
         array_agg(w.id) filter (where w.is_ours and w.is_beat
                                   and (w.must_register_anew or w.status in ('inactive', 'shut-down')))
    into answers, beating, telling, asleep, ended
    from written w;
  if telling is not null then
    select array_agg(s.execution_id::text), array_agg(distinct row(s.runner_id::text, s.job_group)::queue_key)
      into stopped, keys
      from stopping_executions s
     where s.runner_id = any(runner_ids) and s.process_id = any(telling) and s.is_ours and s.execution_id <> all(held);
  end if;
  if asleep is not null then
    asleep := array(select p.id::text from runner_processes p
                     where p.id = any(asleep) and p.status in ('pending', 'offline', 'inactive')
                     order by p.id for update);
    keys := keys || queues_of_runners(array(select p.runner_id::text from runner_processes p
                                             where p.id = any(asleep)));
  end if;
  if keys is not null then
    perform lock_queues(keys); -- all at once: in two steps, two flushes could deadlock
    if stopped is not null then
      woken := array(select k from confirm_stopped(stopped, t) k);
    end if;
  end if;
  if cardinality(asleep) > 0 then
    woken := woken || array(select k from wake_processes(asleep, t) k);
  end if;
  if telling is not null and cardinality(held) > 0 then
    select bool_or(e.process_id = h.process_id and e.confirmed_at is null and e.finished_at is null),
           bool_or(e.id is null or e.finished_at is not null)
      into is_unheard, is_over
      from unnest(held_by, held) h (process_id, execution_id)
      join runner_processes p on p.id = h.process_id
      left join runner_job_executions e on e.org_id = p.org_id and e.id = h.execution_id and e.runner_id = p.runner_id
     where h.process_id = any(telling);
  end if;
  if is_unheard then -- after the queue locks: executions are locked last everywhere
    perform 1
       from unnest(held_by, held) h (process_id, execution_id)
       join runner_processes p on p.id = h.process_id
       join runner_job_executions e on e.org_id = p.org_id and e.id = h.execution_id
      where h.process_id = any(telling) and e.process_id = h.process_id and e.confirmed_at is null
      order by e.id for no key update of e;
    update runner_job_executions e set confirmed_at = t
      from unnest(held_by, held) h (process_id, execution_id)
      join runner_processes p on p.id = h.process_id
     where h.process_id = any(telling) and e.org_id = p.org_id and e.id = h.execution_id
       and e.process_id = h.process_id and e.confirmed_at is null and e.finished_at is null;
  end if;
  if is_over then
    select array_agg(o.process_id), array_agg(o.told) into over_by, over_orders
      from held_though_over(held_by, held) o
     where o.process_id = any(telling) and not o.is_ordered; -- orders_for has the others
  end if;
  if beating is not null then -- most have no orders, and one look for all is cheaper than one for each
    told := array(
      select s.process_id from stopping_executions s where s.runner_id = any(runner_ids) and s.process_id = any(beating)
      union
      select d.runner_process_id from runner_process_shutdowns d
       where d.runner_process_id = any(beating) and d.deadline_at is not null
      union
      select e from unnest(ended) e);
  end if;
  return query
  select a.process_id, a.org_id, a.runner_id, a.process_type,
         case when a.process_id = any(asleep) then 'active' else a.status end, a.is_ours, a.at,
         case when v.orders is null then o.orders when o.orders is null then v.orders
              else (o.orders::jsonb || v.orders::jsonb)::json end,
         a.settings_version, a.wakes
    from unnest(answers) a
    left join orders_for(told) o on o.process_id = a.process_id
    left join lateral (select json_agg(x.told order by x.told ->> 'execution_id') as orders from unnest(over_by, over_orders) x (process_id, told)
                        where x.process_id = a.process_id) v on over_by is not null;
  if cardinality(woken) > 0 then
    return next row(null, null, null, null, null, null, t, null, null, woken)::beaten_process;
  end if;
end $$;

-- For a first heartbeat, one after silence, and one after the broker gave up on the process. The caller holds the locks of the
-- processes' rows.
create or replace function wake_processes(process_ids text[], t timestamptz) returns setof queue_key
  language plpgsql as $$
begin
  update runner_processes p set must_register_anew = true
   where p.id = any(process_ids) and p.is_ours and p.status = 'inactive';
  perform move_processes(process_ids, 'beat', 'beating', t);
  update runner_processes p set first_beat_at = coalesce(p.first_beat_at, t), deadline_at = t + interval '60 s'
   where p.id = any(process_ids);
  return query select * from refresh_runners(array(select distinct p.runner_id::text from runner_processes p
                                                    where p.id = any(process_ids)));
end $$;

-- The orders that a process gets with every answer.
create or replace function orders_for(process_ids text[]) returns table (process_id text, orders json, settings_version bigint)
  language sql stable as $$
  select p.id::text,
         (select json_agg(o.o order by o.at) from (
            select s.started_at as at, json_build_object('type', 'cancel', 'execution_id', s.execution_id,
                     'job_id', s.runner_job_id, 'reason', s.reason) as o
              from stopping_executions s
             where s.runner_id = p.runner_id and s.process_id = p.id and s.is_ours
            union all
            select d.created_at, json_build_object('type', case d.type when 'graceful' then 'drain' else d.type end,
                     'shutdown_id', d.id,
                     'deadline', to_char(d.deadline_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
              from runner_process_shutdowns d
             where d.runner_process_id = p.id and d.deadline_at is not null
            union all
            select t.at, json_build_object('type', 're-register')
              from (select p.updated_at as at where p.must_register_anew or p.status = 'shut-down') t) o),
         g.version
    from runner_processes p
    join runners u on u.id = p.runner_id
    join runner_group_settings g on g.runner_group_id = u.runner_group_id
   where p.id = any(process_ids)
$$;

-- The executions that processes hold although they have ended, do not exist or belong to another runner. `told` is the order to
-- stop one; if is_ordered, orders_for has that order as well.
create or replace function held_though_over(held_by text[], held text[])
  returns table (process_id text, told json, is_ordered boolean)
  language sql stable as $$
  select p.id::text,
         json_build_object('type', 'cancel', 'execution_id', h.execution_id,
                           'job_id', coalesce(e.runner_job_id::text, ''),
                           'reason', coalesce(s.reason, case when e.status in ('cancelled', 'timed-out') then e.status
                                                             else 'lost' end)),
         coalesce(s.process_id = p.id and s.is_ours, false)
    from unnest(held_by, held) h (process_id, execution_id)
    join runner_processes p on p.id = h.process_id
    left join runner_job_executions e on e.org_id = p.org_id and e.id = h.execution_id and e.runner_id = p.runner_id
    left join stopping_executions s on s.execution_id = e.id
   where e.id is null or e.finished_at is not null
$$;

-- Confirms stops by a third-party runner's polls of these groups (null: any), each parked since then (null: just now): if only
-- one process serves the group, its poll says that the execution it was stopping has stopped. A process that holds the
-- execution but was replaced does not count.
create or replace function confirm_by_polls(runner text, groups text[], since timestamptz[]) returns queue_key[]
  language plpgsql as $$
declare
  stopped text[];
begin
  select array_agg(distinct s.execution_id::text) into stopped
    from unnest(groups, since) a (job_group, since)
    join stopping_executions s on s.runner_id = runner and not s.is_ours
                              and (a.job_group is null or s.job_group = a.job_group)
    join runner_job_executions e on e.org_id = s.org_id and e.id = s.execution_id
                                and (a.since is null or e.created_at < a.since)
   cross join lateral (
     select min(p.id) as id from runner_processes p
      where p.runner_id = runner and p.deadline_at is not null and p.status in ('pending', 'active')
        and serves_group(p.serves, p.runner_id, s.job_group)
        and not (s.process_id is not distinct from p.id and p.going_away_at is not null and exists (
              select from runner_processes n
               where n.runner_id = runner and n.deadline_at is not null and n.id <> p.id and n.created_at >= p.going_away_at
                 and n.status in ('pending', 'active')))
     having count(*) = 1) sole
   where poll_speaks_for(sole.id, s);
  if stopped is null then
    return '{}';
  end if;
  return array(select k from confirm_stopped(stopped, svc_now()) k);
end $$;

-- Whether a poll by `poller` proves that `s` has stopped: every other process that may hold it is gone. A process that fell
-- silent, or whose host announced its termination, counts as gone if `poller` was registered after that: it may be the
-- replacement.
create or replace function poll_speaks_for(poller text, s stopping_executions) returns boolean
  language sql stable as $$
  select (s.process_id is null and s.holders is null) or not exists (
    select from unnest(coalesce(s.holders, array[s.process_id::text])) h (id)
      join runner_processes p on p.id = h.id
      join runner_process_beats w on w.process_id = p.id
      join runner_processes n on n.id = poller
     where p.id <> poller and p.status <> 'shut-down'
       and not (p.status in ('offline', 'inactive') and w.last_seen_at <= n.created_at)
       and not (s.process_id is not null and coalesce(p.going_away_at <= n.created_at, false)))
$$;
