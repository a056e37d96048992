-- The capacity of runners: slots, status, and the groups that their processes serve.

-- Recomputes the slots of runners from their settings, pauses and live processes. Takes excess slots back from unclaimed jobs,
-- releases jobs into free ones, and writes a runner's status when it changed.
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

  with offered as materialized ( -- once for each runner, not for each of its queues
    select u.id as runner_id, v.job_group, v.slots
      from unnest(runner_ids) u (id) cross join lateral served_slots(u.id) v)
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
            left join offered o on o.runner_id = q.runner_id and o.job_group = q.job_group
           where q.runner_id = any(runner_ids)) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group
     and (q.parallelism, q.max_depth, q.offered, q.held) is distinct from (c.parallelism, c.max_depth, c.offered, c.held);

  if was_held is not null then -- queue timeouts that passed during the hold are due now
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

-- The slots that the live serving processes of a runner offer, group by group.
create or replace function served_slots(runner text) returns table (job_group text, slots int)
  language sql stable as $$
  select v.job_group, sum(v.slots)::int
    from runner_processes p
   cross join lateral groups_served(p.serves, p.runner_id) v
   where p.runner_id = runner and p.deadline_at is not null and p.status in ('pending', 'active')
     and p.draining is null and p.going_away_at is null and not p.must_register_anew
   group by v.job_group
$$;

-- The groups that a process serves, with its slots: those it announced or has by its type, else those of its settings.
create or replace function groups_served(serves jsonb, runner text) returns table (job_group text, slots int)
  language sql stable as $$
  select e.key, e.value::int from jsonb_each_text(serves) e
  union all
  select distinct case g when 'deploys' then 'deploy' else g end, 1
    from runners u
    join runner_group_settings s on s.runner_group_id = u.runner_group_id
   cross join unnest(s.groups) g
   where u.id = runner and serves is null and g <> 'any'
$$;

-- Whether a process serves a group (groups_served).
create or replace function serves_group(serves jsonb, runner text, wanted text) returns boolean
  language sql stable
  return exists (select from groups_served(serves, runner) g where g.job_group = wanted);

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
              exists (select from runner_processes f
                       where f.runner_id = u.id and f.first_beat_at is not null) as ever
         from runner_processes p where p.runner_id = u.id and p.deadline_at is not null) p
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

create or replace function queues_of_runners(runner_ids text[]) returns queue_key[]
  language sql stable as $$
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key)
    from runner_queues q where q.runner_id = any(runner_ids)
$$;

-- Whether all live processes of a runner bind their plans; false where none is alive.
create or replace function is_bound(runner text) returns boolean
  language sql stable
  return coalesce((select bool_and(p.binds_plans) from runner_processes p
                    where p.runner_id = runner and p.deadline_at is not null
                      and p.status in ('pending', 'active', 'offline')), false);

-- Whether a request with the runner's token may access what an execution's plan names: a process that binds its
-- plans must send its secret as well.
create or replace function is_open_to_runner(ours boolean, process text, given_secret bytea) returns boolean
  language sql stable
  return not ours or coalesce((select not p.binds_plans or p.secret_digest = given_secret
                                 from runner_processes p where p.id = process), not ours);
