-- Totals of ended jobs for /metrics, kept once for all brokers.

-- Counts the jobs that ended since the last call, over a limited range of transactions; returns their number and whether there
-- is more. An event's tx is never below its writer's, so events below the oldest open transaction are complete: each is
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
  with ended as (
    select e.org_id, e.runner_job_id, e.job_group, e.to_status
      from orgs o
     cross join lateral (
       select * from runner_job_events e
        where e.org_id = o.id and e.tx >= first_tx and e.tx < end_tx
          and e.to_status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled')
       offset 0) e -- keeps the planner to one primary key look-up for each org instead of a scan
  ), measured as (
    select e.job_group, j.type, e.to_status as status, m.measure, m.seconds
      from ended e
      join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id
      join runner_job_ends d on d.runner_job_id = e.runner_job_id
     cross join lateral (values ('end', 0::double precision),
                                ('queue', extract(epoch from d.started_at - d.created_at)),
                                ('run', extract(epoch from d.finished_at - d.started_at))) m (measure, seconds)
     where m.seconds is not null
  ), added as (
    insert into runner_job_tallies as t (job_group, type, status, measure, upto, jobs, seconds)
    select m.job_group, m.type, m.status, m.measure,
           coalesce((select min(b) from unnest(bounds) b where b >= m.seconds), 'Infinity'), count(*), sum(m.seconds)
      from measured m group by 1, 2, 3, 4, 5
        on conflict (job_group, type, status, measure, upto) do update
       set jobs = t.jobs + excluded.jobs, seconds = t.seconds + excluded.seconds
  )
  select count(*) filter (where m.measure = 'end') into tallied from measured m;
  update runner_job_tally_mark set tx = greatest(first_tx, end_tx), tallied_at = svc_now();
  is_more := end_tx < open_tx;
end $$;

-- For use after pg_restore into another cluster, where transaction numbers start lower: events keep their order and come before
-- everything that this cluster writes. Call it before a broker starts; without restored events it changes nothing. Returns how
-- many events it renumbered.
create or replace function adopt_restored_events() returns bigint
  language plpgsql as $$
declare
  moved bigint;
begin
  if not exists (select from runner_job_events where tx >= pg_snapshot_xmax(pg_current_snapshot()))
     and not exists (select from runner_job_tally_mark where tx >= pg_snapshot_xmax(pg_current_snapshot())) then
    return 0;
  end if;
  update runner_job_events set tx = '1' where tx <> '1';
  get diagnostics moved = row_count;
  update runner_job_live set event_tx = '1' where event_tx <> '1';
  update runner_job_tally_mark set tx = pg_current_xact_id();
  return moved;
end $$;
