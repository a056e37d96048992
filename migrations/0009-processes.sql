-- Capacity, liveness and what processes are told.

-- Recomputes what runners may run from their settings, pauses and live processes, takes slots back from jobs that
-- nobody has claimed where there are too many, releases what now fits, and writes a runner's status when it changed.
create function refresh_runners(runner_ids text[]) returns setof queue_key
  language plpgsql as $$
declare
  t timestamptz;
  keys queue_key[];
begin
  insert into runner_queues (runner_id, job_group, org_id)
  select distinct u.id, s.job_group, u.org_id
    from runners u
   cross join lateral served_slots(u.id) s
   where u.id = any(runner_ids)
   order by 1, 2
      on conflict do nothing;
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) into keys
    from runner_queues q where q.runner_id = any(runner_ids);
  perform lock_queues(keys);
  t := svc_now();

  update runner_queues q
     set parallelism = c.parallelism, max_depth = c.max_depth, offered = c.offered, held = c.held,
         slots = case when c.held is null then least(c.parallelism, c.offered) else 0 end
    from (select q.runner_id, q.job_group,
                 coalesce((s.job_group_parallelism ->> q.job_group)::int, 1) as parallelism,
                 s.job_group_max_depth as max_depth, coalesce(o.slots, 0)::int as offered,
                 case when u.lifecycle <> 'enabled' then u.lifecycle
                      when u.paused_at is not null and coalesce(u.paused_until > t, true) then 'runner paused'
                      when g.paused_at is not null and coalesce(g.paused_until > t, true) then 'group paused' end as held
            from runner_queues q
            join runners u on u.id = q.runner_id
            join runner_groups g on g.id = u.runner_group_id
            join runner_group_settings s on s.runner_group_id = g.id
            left join lateral (select sum(v.slots) as slots from served_slots(u.id) v
                                where v.job_group = q.job_group) o on true
           where q.runner_id = any(runner_ids)) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group
     and (q.parallelism, q.max_depth, q.offered, q.held) is distinct from (c.parallelism, c.max_depth, c.offered, c.held);

  with over as (
    select q.runner_id, q.job_group, q.in_use - q.slots as n
      from runner_queues q where q.runner_id = any(runner_ids) and q.in_use > q.slots
  ), revoked as (
    update runner_job_live l set has_slot = false, offered_until = null
     where l.id in (select c.id from over o cross join lateral (
                      select l.id from runner_job_live l
                       where l.runner_id = o.runner_id and l.job_group = o.job_group
                         and l.status = 'available' and l.has_slot
                       order by l.withdrawals desc, l.created_at desc, l.id desc
                       limit o.n for update skip locked) c)
    returning l.runner_id, l.job_group
  )
  update runner_queues q set in_use = q.in_use - r.n, waiting = q.waiting + r.n
    from (select r.runner_id, r.job_group, count(*)::int as n from revoked r group by 1, 2) r
   where q.runner_id = r.runner_id and q.job_group = r.job_group;

  perform write_runner_status(runner_ids, t);
  return query select * from release_jobs(keys, false, t);
end $$;

-- The slots that the live serving processes of a runner offer, group by group.
create function served_slots(runner text) returns table (job_group text, slots int)
  language sql stable as $$
  select v.job_group, sum(v.slots)::int
    from runner_processes p
    join runners u on u.id = p.runner_id
    join runner_group_settings s on s.runner_group_id = u.runner_group_id
   cross join lateral (
     select e.key as job_group, e.value::int as slots from jsonb_each_text(p.serves) e
     union all
     select distinct case g when 'deploys' then 'deploy' else g end, 1
       from unnest(s.groups) g where p.serves is null and g <> 'any') v
   where p.runner_id = runner and p.status in ('pending', 'active')
     and p.draining is null and p.going_away_at is null and not p.must_register_anew
   group by v.job_group
$$;

create function write_runner_status(runner_ids text[], t timestamptz) returns void
  language sql as $$
  with now_is as (
    select u.id, u.org_id,
           case when u.lifecycle = 'disabled' then 'disabled'
                when u.lifecycle in ('deprovisioned', 'deleted') then 'deprovisioned'
                when p.serving > 0 then 'active'
                when not p.ever then 'awaiting-heartbeat'
                else 'offline' end as status,
           case when u.lifecycle = 'disabled' then 'disabled by an operator'
                when u.lifecycle in ('deprovisioned', 'deleted') then 'deprovisioned'
                when p.serving > 0 then p.serving || case p.serving when 1 then ' process serves' else ' processes serve' end
                when not p.ever then 'no process has sent a heart-beat yet'
                when p.draining > 0 then 'its last live process is shutting down'
                when p.managing > 0 then 'only a management process is alive'
                else 'no process is alive' end as description,
           case when p.managing > 0 and p.serving = 0
                then array['only a management process is alive: nothing takes jobs'] else '{}'::text[] end as warnings
      from runners u
     cross join lateral (
       select count(*) filter (where p.status = 'active' and p.type <> 'mng' and p.draining is null
                                 and p.going_away_at is null) as serving,
              count(*) filter (where p.status = 'active' and p.type = 'mng') as managing,
              count(*) filter (where p.status in ('active', 'pending-shutdown', 'shutting-down')
                                 and p.type <> 'mng' and (p.draining is not null or p.status <> 'active')) as draining,
              coalesce(bool_or(p.first_beat_at is not null), false) as ever
         from runner_processes p where p.runner_id = u.id) p
     where u.id = any(runner_ids)
  ), changed as (
    update runners u
       set status = n.status, status_description = n.description, warnings = n.warnings, updated_at = t,
           status_at = case when u.status <> n.status then t else u.status_at end
      from now_is n
     where u.id = n.id
       and (u.status, u.status_description, u.warnings) is distinct from (n.status, n.description, n.warnings)
    returning u.id, u.org_id, u.status, u.status_description
  )
  insert into status_history (owner_id, org_id, status, description, at)
  select c.id, c.org_id, c.status, c.status_description, t from changed c
$$;

-- Queue rows for groups that nobody served or used before.
create function make_queues(keys queue_key[]) returns void
  language plpgsql as $$
declare
  fresh text[];
begin
  if not exists (select from unnest(keys) k
                  where not exists (select from runner_queues q
                                     where q.runner_id = k.runner_id and q.job_group = k.job_group)) then
    return;
  end if;
  with made as (
    insert into runner_queues (runner_id, job_group, org_id)
    select u.id, k.job_group, u.org_id from unnest(keys) k join runners u on u.id = k.runner_id
     where u.lifecycle <> 'deleted'
     order by 1, 2
        on conflict do nothing returning runner_queues.runner_id
  )
  select array_agg(distinct m.runner_id::text) into fresh from made m;
  if fresh is not null then
    perform refresh_runners(fresh);
  end if;
end $$;

create function set_process_status(process_ids text[], new_status text, description text, t timestamptz) returns void
  language sql as $$
  with changed as (
    update runner_processes p
       set status = new_status, status_description = description, status_at = t, updated_at = t,
           deadline_at = case when new_status in ('inactive', 'shut-down') then null
                              else coalesce(p.deadline_at, t) end
     where p.id = any(process_ids) and p.status <> 'shut-down' and p.status <> new_status
    returning p.id, p.org_id
  )
  insert into status_history (owner_id, org_id, status, description, at)
  select c.id, c.org_id, new_status, description, t from changed c
$$;

-- A new process; with the id and secret of an old one of the same runner it takes that one's executions over.
-- Answers null when the old process or its secret is not right. When an answer was lost and the old secret comes once
-- more, the successor that nobody has ever heard of is taken over instead.
create function register_process(org text, runner text, process text, process_type text, process_version text,
                                 ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea)
  returns queue_key[]
  language plpgsql as $$
declare
  t timestamptz;
begin
  if old_process is not null then
    select case when p.status = 'shut-down' then s.id else p.id end into old_process
      from runner_processes p
      left join runner_processes s on s.id = p.taken_over_by and s.first_beat_at is null and s.status <> 'shut-down'
     where p.id = old_process and p.org_id = org and p.runner_id = runner and p.secret_digest = old_secret
       for update of p;
    if old_process is null then
      return null;
    end if;
    perform 1 from runner_processes p where p.id = old_process for update;
  end if;
  t := svc_now();
  insert into runner_processes (id, org_id, runner_id, type, version, is_ours, serves, secret_digest, started_at,
                                created_at, updated_at, status_at, deadline_at)
  values (process, org, runner, process_type, process_version, ours, process_serves, secret, t, t, t, t,
          t + interval '60 s');
  insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at, version)
  values (process, org, runner, t, process_version);
  insert into status_history (owner_id, org_id, status, description, at) values (process, org, 'pending', 'registered', t);
  if old_process is not null then
    perform end_shutdowns(array[old_process], 'completed', 'taken over by ' || process, t);
    perform lock_queues(queues_of_runners(array[runner]));
    update runner_job_executions e set process_id = process
      from runner_job_live l
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress'
       and e.org_id = l.org_id and e.id = l.execution_id;
    update runner_job_live l set process_id = process
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress';
    update stopping_executions s set process_id = process where s.runner_id = runner and s.process_id = old_process;
    update runner_processes p set taken_over_by = process where p.id = old_process;
    perform set_process_status(array[old_process], 'shut-down', 'taken over by ' || process, t);
  end if;
  return array(select k from refresh_runners(array[runner]) k);
end $$;

create type beaten_process as (
  process_id text, org_id text, runner_id text, process_type text, status text, is_ours boolean, at timestamptz,
  orders json, settings_version bigint, wakes queue_key[]
);

-- Beats and signs of life of processes, each once in a call. `held_by` and `held` pair processes with the executions
-- that they say they hold; only a process that `tells` said so at all. Answers a row for each process that is known under
-- its org and runner, orders only for ours that beat; and one row of wakes alone, if there are any.
create function beat_processes(ids text[], org_ids text[], runner_ids text[], are_beats boolean[], alive bigint[],
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
begin
  with written as ( -- in the order of ids, which nested loops keep, so that two flushes never wait for each other
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
    perform lock_queues(keys); -- all at once: in two steps, two flushes could wait for each other
    if stopped is not null then
      woken := array(select k from confirm_stopped(stopped, t) k);
    end if;
  end if;
  if cardinality(asleep) > 0 then
    woken := woken || array(select k from wake_processes(asleep, t) k);
  end if;
  if telling is not null and cardinality(held) > 0 then -- after the queue locks: executions are locked last everywhere
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
  if beating is not null then -- most have nothing to be told: to find that out for all at once is cheaper than for each
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
         case when a.process_id = any(asleep) then 'active' else a.status end, a.is_ours, a.at, o.orders,
         a.settings_version, a.wakes
    from unnest(answers) a left join orders_for(told) o on o.process_id = a.process_id;
  if cardinality(woken) > 0 then
    return next row(null, null, null, null, null, null, t, null, null, woken)::beaten_process;
  end if;
end $$;

create function queues_of_runners(runner_ids text[]) returns queue_key[]
  language sql stable as $$
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key)
    from runner_queues q where q.runner_id = any(runner_ids)
$$;

-- First beat, a beat after silence, a beat after we had given up. The caller holds the processes' rows.
create function wake_processes(process_ids text[], t timestamptz) returns setof queue_key
  language plpgsql as $$
begin
  update runner_processes p set must_register_anew = true
   where p.id = any(process_ids) and p.is_ours and p.status = 'inactive';
  perform set_process_status(process_ids, 'active', 'beating', t);
  update runner_processes p set first_beat_at = coalesce(p.first_beat_at, t), deadline_at = t + interval '60 s'
   where p.id = any(process_ids);
  return query select * from refresh_runners(array(select distinct p.runner_id::text from runner_processes p
                                                    where p.id = any(process_ids)));
end $$;

-- What a process is told with every answer.
create function orders_for(process_ids text[]) returns table (process_id text, orders json, settings_version bigint)
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
