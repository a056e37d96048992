-- Who serves: a claim by name, a stopping execution and a hand-off that nobody confirmed look at the processes that serve
-- the job's group, and only at them. And a clock that ran out while a queue was held acts when it is let go.

-- Whether a process serves a group: those it announced or has by its type, else those that its settings name.
create function serves_group(serves jsonb, runner text, wanted text) returns boolean
  language sql stable as $$
  select case when serves is not null then serves ? wanted else exists (
    select from runners u join runner_group_settings s on s.runner_group_id = u.runner_group_id
     where u.id = runner and wanted in (select case g when 'deploys' then 'deploy' else g end from unnest(s.groups) g)) end
$$;

-- A third-party runner's only process that serves a group polls it again: what it was stopping there has stopped.
create or replace function confirm_by_poll(runner text, only_group text) returns queue_key[]
  language plpgsql as $$
declare
  stopped text[];
begin
  select array_agg(s.execution_id::text) into stopped
    from stopping_executions s
   cross join lateral (
     select min(p.id) as id from runner_processes p
      where p.runner_id = runner and p.status in ('pending', 'active')
        and serves_group(p.serves, p.runner_id, s.job_group)
     having count(*) = 1) sole
   where s.runner_id = runner and not s.is_ours and (only_group is null or s.job_group = only_group)
     and speaks_for(sole.id, s);
  if stopped is null then
    return '{}';
  end if;
  return array(select k from confirm_stopped(stopped, svc_now()) k);
end $$;

-- What is due of a live job, read under its queue's lock. A null event re-arms the deadline.
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
             when 'queued' then case when q.held is not null then l.overall_at -- refresh_runners pulls it back
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

-- Frees what a stopping execution held: confirmed by its process, or its grace is over.
create or replace function confirm_stopped(execution_ids text[], t timestamptz) returns setof queue_key
  language plpgsql as $$
declare
  keys queue_key[];
begin
  select array_agg(distinct row(s.runner_id::text, s.job_group)::queue_key) into keys
    from stopping_executions s where s.execution_id = any(execution_ids);
  if keys is null then
    return;
  end if;
  perform lock_queues(keys);
  with gone as (
    delete from stopping_executions s where s.execution_id = any(execution_ids)
    returning s.execution_id, s.runner_id, s.job_group, s.runner_job_id, s.holds_slot
  ), unblocked as (
    update runner_job_live l
       set blocked_by = null, -- its queue timeout, if it passed meanwhile, is due now
           deadline_at = least(l.deadline_at, l.overall_at, greatest(t, l.status_at + ns(l.queue_timeout)))
      from gone g where l.id = g.runner_job_id and l.blocked_by = g.execution_id
  )
  update runner_queues q set in_use = q.in_use - c.n
    from (select g.runner_id, g.job_group, count(*)::int as n from gone g where g.holds_slot group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group;
  return query select * from release_jobs(keys, false, t);
end $$;

-- Recomputes what runners may run from their settings, pauses and live processes, takes slots back from jobs that
-- nobody has claimed where there are too many, releases what now fits, and writes a runner's status when it changed.
create or replace function refresh_runners(runner_ids text[]) returns setof queue_key
  language plpgsql as $$
declare
  t timestamptz;
  keys queue_key[];
  was_held queue_key[];
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
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) into was_held
    from runner_queues q where q.runner_id = any(runner_ids) and q.held is not null;

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

  if was_held is not null then -- queue timeouts that passed meanwhile are due now
    update runner_job_live l set deadline_at = least(l.overall_at, greatest(t, l.status_at + ns(l.queue_timeout)))
      from unnest(was_held) k
      join runner_queues q on q.runner_id = k.runner_id and q.job_group = k.job_group and q.held is null
     where l.runner_id = q.runner_id and l.job_group = q.job_group and not l.has_slot and l.status = 'queued'
       and l.blocked_by is null and l.deadline_at > greatest(t, l.status_at + ns(l.queue_timeout));
  end if;

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

create or replace function write_runner_status(runner_ids text[], t timestamptz) returns void
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
                when p.unregistered > 0 then 'its last live process has to register anew'
                when p.draining > 0 then 'its last live process is shutting down'
                when p.managing > 0 then 'only a management process is alive'
                else 'no process is alive' end as description,
           case when p.managing > 0 and p.serving = 0
                then array['only a management process is alive: nothing takes jobs'] else '{}'::text[] end as warnings
      from runners u
     cross join lateral (
       select count(*) filter (where p.status = 'active' and p.type <> 'mng' and p.draining is null
                                 and p.going_away_at is null and not p.must_register_anew) as serving,
              count(*) filter (where p.status = 'active' and p.type <> 'mng' and p.must_register_anew) as unregistered,
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
