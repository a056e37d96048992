-- Rollups: the figures of charts and the overview. Moves of jobs are folded in by tally_job_ends (tallies.sql); what stands still
-- between moves is sampled here, by one broker for all.

-- The spans of time that rollups are kept for, in seconds.
create or replace function rollup_widths() returns int[]
  language sql immutable parallel safe
  return array[60, 300, 3600, 86400];

create or replace function rollup_start(width_s int, at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return date_bin(width_s * interval '1 second', at, timestamptz '2000-01-01 00:00:00Z');

-- Durations are counted in buckets: number b holds those over 0.01 × 2^((b-1)/4) s, up to 0.01 × 2^(b/4) s. The first holds all
-- shorter ones, the last (124 days) all longer ones. shared/duration-buckets.ts says the same.
create or replace function duration_bucket(seconds double precision) returns int
  language sql immutable parallel safe
  return case when seconds <= 0.01 then 0 else least(120, ceil(round((ln(seconds / 0.01) / ln(2.0::float8) * 4)::numeric, 6)))::int end;

-- Adds two counts by bucket.
create or replace function add_counts(a jsonb, b jsonb) returns jsonb
  language sql immutable parallel safe as $$
  select case when a = '{}' then b when b = '{}' then a
              else (select jsonb_object_agg(s.key, s.jobs)
                      from (select e.key, sum(e.value::int) as jobs
                              from (select * from jsonb_each_text(a) union all select * from jsonb_each_text(b)) e
                             group by 1) s) end
$$;

-- The runner groups whose figures are kept apart: the first ten of an org. All others are added up as 'other', and everything
-- once more as 'all'.
create or replace function named_runner_groups(org text) returns text[]
  language sql stable as $$
  select array(select g.id::text from runner_groups g
                where g.org_id = org and g.deleted_at is null order by g.created_at, g.id limit 10)
$$;

-- Samples all orgs if the last sample is as old as `every`; whether it did. Any number of brokers may call it at once: the mark's
-- row is set by one of them, and the others do not wait. The first sample of a minute is the one that rollups keep.
create or replace function sample_stats(every interval) returns boolean
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  t timestamptz := svc_now();
  is_first boolean;
begin
  perform 1 from stats_mark m
    where m.sampled_at not between t - every + interval '1 ms' and t for update skip locked;
  if not found then
    return false;
  end if;
  update stats_mark set sampled_at = t;
  insert into rollup_coverage (width_s, at, minutes) values (60, rollup_start(60, t), 1) on conflict do nothing;
  is_first := found;
  if is_first then
    insert into rollup_coverage as c (width_s, at, minutes)
    select w, rollup_start(w, t), 1 from unnest(rollup_widths()) w where w > 60
        on conflict (width_s, at) do update set minutes = c.minutes + 1;
    perform roll_up_activity(t);
  end if;

  with recursive named as materialized ( -- else Postgres asks for the groups once for each runner
    select o.id, named_runner_groups(o.id) as ids from orgs o
  ), runner as materialized (
    select u.org_id, u.id, u.status, u.runner_group_id = any(n.ids) as is_named, u.runner_group_id
      from named n
      join runners u on u.org_id = n.id
     where u.lifecycle <> 'deleted'
  ), offered as materialized (
    select l.runner_id, l.job_group, count(*) as jobs, min(l.created_at) as oldest_at
      from runner_job_live l where l.status = 'available' and l.has_slot group by 1, 2
  ), stopping as materialized (
    select s.runner_id, s.job_group, count(*) as jobs from stopping_executions s where s.holds_slot group by 1, 2
  ), oldest as ( -- a queue's index is ordered by (withdrawals, age): one look-up for each number of withdrawals
    select q.runner_id, q.job_group, f.withdrawals, f.created_at
      from runner_queues q
     cross join lateral (
       select l.withdrawals, l.created_at from runner_job_live l
        where l.runner_id = q.runner_id and l.job_group = q.job_group and not l.has_slot
        order by l.withdrawals, l.created_at, l.id limit 1) f
     where q.waiting > 0
    union all
    select o.runner_id, o.job_group, n.withdrawals, n.created_at
      from oldest o
     cross join lateral (
       select l.withdrawals, l.created_at from runner_job_live l
        where l.runner_id = o.runner_id and l.job_group = o.job_group and not l.has_slot
          and l.withdrawals > o.withdrawals
        order by l.withdrawals, l.created_at, l.id limit 1) n
  ), waited as (
    select o.runner_id, o.job_group, min(o.created_at) as oldest_at from oldest o group by 1, 2
  ), queue as materialized (
    select r.org_id, case when r.is_named then r.runner_group_id::text else 'other' end as runner_group_id, r.id as runner_id,
           q.job_group, q.waiting + coalesce(f.jobs, 0) as waiting, q.in_use, q.slots,
           q.in_use - coalesce(f.jobs, 0) - coalesce(s.jobs, 0) as in_progress, least(w.oldest_at, f.oldest_at) as oldest_at
      from runner_queues q
      join runner r on r.id = q.runner_id
      left join offered f on f.runner_id = q.runner_id and f.job_group = q.job_group
      left join stopping s on s.runner_id = q.runner_id and s.job_group = q.job_group
      left join waited w on w.runner_id = q.runner_id and w.job_group = q.job_group
     where q.waiting > 0 or q.in_use > 0 or q.slots > 0
  ), queues as (
    select q.org_id, sum(q.waiting)::bigint as waiting, sum(q.in_progress)::bigint as in_progress, min(q.oldest_at) as oldest_at,
           sum(q.in_use)::bigint as in_use, sum(q.slots)::bigint as slots
      from queue q group by 1
  ), runners_of as (
    select r.org_id, count(*) filter (where r.status = 'active') as online,
           count(*) filter (where r.status = 'active' and b.runner_id is not null) as busy,
           count(*) filter (where r.status = 'offline') as offline,
           count(*) filter (where r.status not in ('active', 'offline')) as other
      from runner r
      left join (select distinct q.runner_id from queue q where q.in_progress > 0) b on b.runner_id = r.id
     group by 1
  ), signals as (
    select c.org_id, sum(c.waiting + c.delayed)::bigint as waiting, sum(c.in_flight)::bigint as in_flight
      from queue_counters c where c.waiting > 0 or c.delayed > 0 or c.in_flight > 0 group by 1
  ), org as materialized (
    select o.id as org_id, coalesce(q.waiting, 0) as queued, coalesce(q.in_progress, 0) as in_progress, q.oldest_at,
           coalesce(q.in_use, 0) as in_use, coalesce(q.slots, 0) as capacity, coalesce(r.online, 0) as online,
           coalesce(r.busy, 0) as busy, coalesce(r.offline, 0) as offline, coalesce(r.other, 0) as other,
           coalesce(s.waiting, 0) as signals_waiting, coalesce(s.in_flight, 0) as signals_in_flight,
           coalesce(p.problems, '[]') as problems
      from orgs o
      left join queues q on q.org_id = o.id
      left join runners_of r on r.org_id = o.id
      left join signals s on s.org_id = o.id
      left join list_problems(t) p on p.org_id = o.id
  ), kept as (
    insert into queue_rollups as k (org_id, width_s, at, runner_group_id, job_group, waiting_sum, waiting_max, in_progress_sum,
                                    in_use_sum, capacity_sum, oldest_max)
    select q.org_id, w, rollup_start(w, t), g.id, q.job_group, sum(q.waiting), sum(q.waiting), sum(q.in_progress),
           sum(q.in_use), sum(q.slots), coalesce(greatest(0, extract(epoch from t - min(q.oldest_at))), 0)
      from queue q
     cross join unnest(rollup_widths()) w
     cross join lateral (values (q.runner_group_id), ('all')) g (id)
     where is_first
     group by 1, 2, 3, 4, 5
        on conflict (org_id, width_s, at, runner_group_id, job_group) do update
       set waiting_sum = k.waiting_sum + excluded.waiting_sum, waiting_max = greatest(k.waiting_max, excluded.waiting_max),
           in_progress_sum = k.in_progress_sum + excluded.in_progress_sum, in_use_sum = k.in_use_sum + excluded.in_use_sum,
           capacity_sum = k.capacity_sum + excluded.capacity_sum, oldest_max = greatest(k.oldest_max, excluded.oldest_max)
  ), kept_orgs as (
    insert into org_rollups as k (org_id, width_s, at, runners_online_sum, runners_busy_sum, runners_offline_sum,
                                  signals_waiting_sum, signals_waiting_max, signals_in_flight_sum)
    select o.org_id, w, rollup_start(w, t), o.online, o.busy, o.offline, o.signals_waiting, o.signals_waiting, o.signals_in_flight
      from org o cross join unnest(rollup_widths()) w
     where is_first and (o.online, o.offline, o.signals_waiting, o.signals_in_flight) <> (0, 0, 0, 0)
        on conflict (org_id, width_s, at) do update
       set runners_online_sum = k.runners_online_sum + excluded.runners_online_sum,
           runners_busy_sum = k.runners_busy_sum + excluded.runners_busy_sum,
           runners_offline_sum = k.runners_offline_sum + excluded.runners_offline_sum,
           signals_waiting_sum = k.signals_waiting_sum + excluded.signals_waiting_sum,
           signals_waiting_max = greatest(k.signals_waiting_max, excluded.signals_waiting_max),
           signals_in_flight_sum = k.signals_in_flight_sum + excluded.signals_in_flight_sum
  )
  insert into org_stats as k (org_id, queued, in_progress, oldest_waiting_at, in_use, capacity, runners_online, runners_busy,
                              runners_offline, runners_other, signals_waiting, signals_in_flight, problems)
  select o.*
    from org o
    left join org_stats k on k.org_id = o.org_id -- an update that changes nothing would still lock the row, which is a write
   where k.org_id is null
      or (o.queued, o.in_progress, o.oldest_at, o.in_use, o.capacity, o.online, o.busy, o.offline, o.other, o.signals_waiting,
          o.signals_in_flight, o.problems)
         is distinct from (k.queued, k.in_progress, k.oldest_waiting_at, k.in_use, k.capacity, k.runners_online, k.runners_busy,
                           k.runners_offline, k.runners_other, k.signals_waiting, k.signals_in_flight, k.problems)
      on conflict (org_id) do update
     set queued = excluded.queued, in_progress = excluded.in_progress, oldest_waiting_at = excluded.oldest_waiting_at,
         in_use = excluded.in_use, capacity = excluded.capacity, runners_online = excluded.runners_online,
         runners_busy = excluded.runners_busy, runners_offline = excluded.runners_offline,
         runners_other = excluded.runners_other, signals_waiting = excluded.signals_waiting,
         signals_in_flight = excluded.signals_in_flight, problems = excluded.problems;
  return true;
end $$;

-- What operators should look at: for each org and kind the number, and the ten that last longest. A shutdown is stuck if its
-- process has not begun it after five minutes, or is not done after a day.
create or replace function list_problems(t timestamptz) returns table (org_id text, problems jsonb)
  language sql stable as $$
  with found as (
    select u.org_id, 'runner-offline' as kind, u.id, u.name, u.status_at as since, w.jobs
      from (select q.runner_id, sum(q.waiting)::bigint as jobs from runner_queues q where q.waiting > 0 group by 1) w
      join runners u on u.id = w.runner_id
     where u.lifecycle <> 'deleted' and u.status <> 'active'
    union all
    select u.org_id, 'runner-paused', u.id, u.name, coalesce(u.paused_at, g.paused_at), w.jobs
      from (select q.runner_id, sum(q.waiting)::bigint as jobs from runner_queues q
             where q.waiting > 0 and q.held in ('runner paused', 'group paused') group by 1) w
      join runners u on u.id = w.runner_id
      join runner_groups g on g.id = u.runner_group_id
    union all -- it is online, but no process of it takes jobs of a group in which some wait
    select u.org_id, 'jobs-without-taker', u.id, u.name, null, w.jobs
      from (select q.runner_id, sum(q.waiting)::bigint as jobs from runner_queues q
             where q.waiting > 0 and q.held is null and q.slots = 0 and q.in_use = 0 group by 1) w
      join runners u on u.id = w.runner_id
     where u.lifecycle <> 'deleted' and u.status = 'active'
    union all
    select h.org_id, case when h.disabled_at is null then 'webhook-failing' else 'webhook-disabled' end, h.id, h.url,
           coalesce(h.disabled_at, h.failing_since), nullif(h.failing_events, 0)
      from webhooks h where h.deleted_at is null and (h.disabled_at is not null or h.failing_since is not null)
    union all
    select w.org_id, 'workflow-waiting', w.id, w.type, w.status_at, null
      from workflows w
     where w.status not in ('success', 'error', 'cancelled') and w.status in ('approval-awaiting', 'failed-pending-retry')
    union all -- its runner's agent is to be started: a healthy one is found within a minute
    select w.org_id, 'workflow-waiting', w.id, w.type, min(s.started_at), null
      from workflow_steps s join workflows w on w.id = s.workflow_id
     where s.status = 'in-progress' and s.kind = 'healthy' and w.status = 'in-progress'
       and s.started_at < t - interval '1 minute'
     group by w.org_id, w.id, w.type
    union all
    select q.org_id, 'shutdown-stuck', u.id, u.name, q.created_at, null
      from runner_process_shutdowns q
      join runners u on u.id = q.runner_id
     where q.deadline_at is not null
       and (q.status = 'requested' and q.created_at < t - interval '5 minutes' or q.created_at < t - interval '1 day')
    union all
    select q.org_id, 'queue-paused', q.id, q.name, q.status_at, c.waiting + c.delayed
      from queue_counters c join queues q on q.id = c.queue_id
     where c.is_paused and q.deleted_at is null and c.waiting + c.delayed > 0
    union all
    select q.org_id, 'signals-dead', q.id, q.name, d.since, null -- counted below, for those that are shown
      from queues q
     cross join lateral (
       select e.finished_at as since from queue_signal_ends e
        where (e.queue_id, e.status, e.signal_id) > (q.id, 'dead', '') -- by its index, whatever the planner believes
          and (e.queue_id, e.status, e.signal_id) < (q.id, 'dead', '~')
        order by e.queue_id, e.status, e.signal_id limit 1) d
     where q.deleted_at is null
    union all
    select w.org_id, 'workspace-blocked', w.id, '', w.blocked_at, null
      from terraform_workspaces w where w.blocked_at is not null and w.deleted_at is null
  ), ranked as (
    select f.*, row_number() over (partition by f.org_id, f.kind order by f.since, f.id) as place,
           count(*) over (partition by f.org_id, f.kind) as n
      from found f
  ), kinds as (
    select r.org_id, r.kind, min(r.n) as n,
           jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'since', r.since, 'waiting', coalesce(r.jobs, d.signals))
                     order by r.place) as items
      from ranked r
      left join lateral (
        select count(*) as signals
          from (select from queue_signal_ends e
                 where (e.queue_id, e.status, e.signal_id) > (r.id, 'dead', '')
                   and (e.queue_id, e.status, e.signal_id) < (r.id, 'dead', '~')
                 order by e.queue_id, e.status, e.signal_id limit 100) e) d
        on r.kind = 'signals-dead'
     where r.place <= 10 group by 1, 2
  )
  select k.org_id::text, jsonb_agg(jsonb_build_object('kind', k.kind, 'count', k.n, 'items', k.items) order by k.kind)
    from kinds k group by 1
$$;
