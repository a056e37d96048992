-- Totals of ended jobs for /metrics and rollups of jobs' moves, kept once for all brokers.

-- Counts the moves of jobs since the last call, over a limited range of transactions: ends in the totals of /metrics, and
-- enqueues, first claims and ends in the rollups, each in the minute of the move. Returns how many ends it counted and whether
-- there is more. An event's tx is never below its writer's, so events below the oldest open transaction are complete: each is
-- counted exactly once, without a lag. The lock of the mark's row serializes callers.
create or replace function tally_job_ends(bounds double precision[], most_transactions bigint,
                               out tallied bigint, out is_more boolean)
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  first_tx xid8;
  open_tx xid8;
  end_tx xid8;
begin
  select m.tx into first_tx from runner_job_tally_mark m for update;
  open_tx := pg_snapshot_xmin(pg_current_snapshot());
  end_tx := least(open_tx, (first_tx::text::bigint + most_transactions)::text::xid8);
  with moved as materialized (
    select e.org_id, e.runner_job_id, e.runner_id, e.job_group, e.event, e.to_status, e.at
      from orgs o
     cross join lateral (
       select * from runner_job_events e
        where e.org_id = o.id and e.tx >= first_tx and e.tx < end_tx
          and (e.event in ('enqueue', 'claim')
               or e.to_status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled'))
       offset 0) e -- keeps the planner to one primary key look-up for each org instead of a scan
  ), known as materialized ( -- one look-up for each move, not a walk through all jobs that are or were
    select m.org_id, m.job_group, j.type, m.at, g.runner_group_id, j.created_at, d.started_at, d.finished_at,
           case when m.event in ('enqueue', 'claim') then m.event else m.to_status end as what,
           m.event = 'claim' and coalesce(d.started_at, (select l.started_at from runner_job_live l
                                                          where l.id = m.runner_job_id)) = m.at as is_first
      from moved m
     cross join lateral (select * from runner_jobs j where j.org_id = m.org_id and j.id = m.runner_job_id offset 0) j
      left join lateral (select * from runner_job_ends d where d.runner_job_id = m.runner_job_id offset 0) d on true
      left join lateral (select u.runner_group_id from runners u where u.id = m.runner_id offset 0) g on true
  ), measured as (
    select k.job_group, k.type, k.what as status, m.measure, m.seconds
      from known k
     cross join lateral (values ('end', 0::double precision),
                                ('queue', extract(epoch from k.started_at - k.created_at)),
                                ('run', extract(epoch from k.finished_at - k.started_at))) m (measure, seconds)
     where k.what not in ('enqueue', 'claim') and m.seconds is not null
  ), added as (
    insert into runner_job_tallies as t (job_group, type, status, measure, upto, jobs, seconds)
    select m.job_group, m.type, m.status, m.measure,
           coalesce((select min(b) from unnest(bounds) b where b >= m.seconds), 'Infinity'), count(*), sum(m.seconds)
      from measured m group by 1, 2, 3, 4, 5
        on conflict (job_group, type, status, measure, upto) do update
       set jobs = t.jobs + excluded.jobs, seconds = t.seconds + excluded.seconds
  ), counted as materialized ( -- by the minute
    select k.org_id, k.runner_group_id, k.job_group, k.type, rollup_start(60, k.at) as minute, f.what, f.bucket,
           count(*) as jobs, max(f.seconds) as seconds
      from known k
     cross join lateral (
       select k.what, null::int as bucket, null::double precision as seconds where k.what <> 'claim'
       union all
       select v.what, duration_bucket(v.seconds), v.seconds
         from (values ('queue', case when k.is_first then extract(epoch from k.at - k.created_at)::float8 end),
                      ('run', case when k.what not in ('enqueue', 'claim')
                                   then extract(epoch from k.finished_at - k.started_at)::float8 end)) v (what, seconds)
        where v.seconds is not null) f
     group by 1, 2, 3, 4, 5, 6, 7
  ), labelled as materialized (
    select l.* from label_rollups((select array_agg(distinct row(c.org_id::text, rollup_start(86400, c.minute),
                                                                 c.runner_group_id::text, c.job_group, c.type)::rollup_labels)
                                     from counted c)) l
  ), spread as (
    select c.org_id, w.width_s, rollup_start(w.width_s, c.minute) as at, g.runner_group_id, l.job_group, l.type, c.what, c.bucket,
           sum(c.jobs) as jobs, max(c.seconds) as seconds
      from counted c
      join labelled l on l.org_id = c.org_id and l.day = rollup_start(86400, c.minute) and l.job_group_of = c.job_group
                     and l.type_of = c.type and l.runner_group_of is not distinct from c.runner_group_id
     cross join unnest(rollup_widths()) w (width_s)
     cross join lateral (values (l.runner_group_id), ('all')) g (runner_group_id)
     group by 1, 2, 3, 4, 5, 6, 7, 8
  ), kept as (
    insert into job_rollups as r (org_id, width_s, at, runner_group_id, job_group, type, enqueued, finished, failed, timed_out,
                                  not_attempted, cancelled, queue_times, queue_max, run_times, run_max)
    select s.org_id, s.width_s, s.at, s.runner_group_id, s.job_group, s.type,
           coalesce(sum(s.jobs) filter (where s.what = 'enqueue'), 0), coalesce(sum(s.jobs) filter (where s.what = 'finished'), 0),
           coalesce(sum(s.jobs) filter (where s.what = 'failed'), 0), coalesce(sum(s.jobs) filter (where s.what = 'timed-out'), 0),
           coalesce(sum(s.jobs) filter (where s.what = 'not-attempted'), 0),
           coalesce(sum(s.jobs) filter (where s.what = 'cancelled'), 0),
           coalesce(jsonb_object_agg(s.bucket, s.jobs) filter (where s.what = 'queue'), '{}'),
           coalesce(max(s.seconds) filter (where s.what = 'queue'), 0),
           coalesce(jsonb_object_agg(s.bucket, s.jobs) filter (where s.what = 'run'), '{}'),
           coalesce(max(s.seconds) filter (where s.what = 'run'), 0)
      from spread s group by 1, 2, 3, 4, 5, 6
        on conflict (org_id, width_s, at, runner_group_id, job_group, type) do update
       set enqueued = r.enqueued + excluded.enqueued, finished = r.finished + excluded.finished,
           failed = r.failed + excluded.failed, timed_out = r.timed_out + excluded.timed_out,
           not_attempted = r.not_attempted + excluded.not_attempted, cancelled = r.cancelled + excluded.cancelled,
           queue_times = add_counts(r.queue_times, excluded.queue_times), queue_max = greatest(r.queue_max, excluded.queue_max),
           run_times = add_counts(r.run_times, excluded.run_times), run_max = greatest(r.run_max, excluded.run_max)
  )
  select count(*) filter (where m.measure = 'end') into tallied from measured m;
  update runner_job_tally_mark set tx = greatest(first_tx, end_tx), tallied_at = svc_now();
  is_more := end_tx < open_tx;
end $$;

-- Under which labels moves are kept: their own, or 'other' for all when the org has a hundred others on that day already. So no
-- org can make more rows than that, and as many for all its runner groups together, whatever it enqueues.
create or replace function label_rollups(labels rollup_labels[])
  returns table (org_id text, day timestamptz, runner_group_of text, job_group_of text, type_of text,
                 runner_group_id text, job_group text, type text)
  language sql stable as $$
  with named as materialized (
    select o.id, named_runner_groups(o.id) as groups from (select distinct (l).org_id as id from unnest(labels) l) o
  ), given as (
    select l.*, case when l.runner_group_id = any(n.groups) then l.runner_group_id else 'other' end as kept_group
      from unnest(labels) l join named n on n.id = l.org_id
  ), sets as (
    select g.org_id, g.day, g.kept_group, g.job_group, g.type,
           exists (select from job_rollups r
                    where r.org_id = g.org_id and r.width_s = 86400 and r.at = g.day and r.runner_group_id = g.kept_group
                      and r.job_group = g.job_group and r.type = g.type) as is_kept
      from given g group by 1, 2, 3, 4, 5
  ), placed as (
    select s.*, s.is_kept or row_number() over (partition by s.org_id, s.day, s.is_kept order by s.kept_group, s.job_group, s.type)
                             + (select count(*) from job_rollups r
                                 where r.org_id = s.org_id and r.width_s = 86400 and r.at = s.day
                                   and r.runner_group_id <> 'all') <= 100 as has_place
      from sets s
  )
  select g.org_id, g.day, g.runner_group_id, g.job_group, g.type, case when p.has_place then g.kept_group else 'other' end,
         case when p.has_place then g.job_group else 'other' end, case when p.has_place then g.type else 'other' end
    from given g
    join placed p on p.org_id = g.org_id and p.day = g.day and p.kept_group = g.kept_group and p.job_group = g.job_group
                 and p.type = g.type
$$;

-- For use after pg_restore into another cluster, where transaction numbers start lower: events of jobs and of workflows keep their
-- order and come before everything that this cluster writes. Call it before a broker starts; without restored events it changes
-- nothing. Returns how many events it renumbered. A test knows every column that has such numbers.
create or replace function adopt_restored_events() returns bigint
  language plpgsql as $$
declare
  ahead xid8 := pg_snapshot_xmax(pg_current_snapshot());
  of_jobs bigint;
  of_workflows bigint;
begin
  if not exists (select from runner_job_events where tx >= ahead)
     and not exists (select from runner_job_live where event_tx >= ahead) -- its events may be gone
     and not exists (select from events where tx >= ahead)
     and not exists (select from runner_job_tally_mark where tx >= ahead) then
    return 0;
  end if;
  update runner_job_events set tx = '1' where tx <> '1';
  get diagnostics of_jobs = row_count;
  update runner_job_live set event_tx = '1' where event_tx <> '1';
  update events set tx = '1' where tx <> '1';
  get diagnostics of_workflows = row_count;
  update runner_job_tally_mark set tx = pg_current_xact_id();
  return of_jobs + of_workflows;
end $$;
