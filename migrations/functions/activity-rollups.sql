-- Rollups of workflows and of calls to webhooks: the figures of their charts.

-- Counts the workflows that ended, and the calls to webhooks, from the mark on up to a minute ago; ten minutes of them at most. The
-- caller holds the mark.
create or replace function roll_up_activity(t timestamptz) returns void
  language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  since timestamptz;
  until timestamptz := rollup_start(60, t) - interval '1 minute';
begin
  select case m.activity_to when 'epoch' then until - interval '1 minute' else m.activity_to end into since from stats_mark m;
  until := least(until, since + interval '10 minutes');
  if until <= since then
    return;
  end if;
  update stats_mark set activity_to = until;
  with act as ( -- a workflow that never began took no time
    select w.org_id, 'workflows' as kind, w.finished_at as at, w.type,
           case w.status when 'success' then 'succeeded' when 'cancelled' then 'cancelled' else 'failed' end as ended,
           extract(epoch from w.finished_at - w.started_at)::float8 as seconds
      from workflows w where w.finished_at >= since and w.finished_at < until
    union all
    select a.org_id, 'deliveries', a.at, '', case a.result when 'delivered' then 'succeeded' else 'failed' end, a.duration_ms / 1000.0
      from webhook_attempts a where a.at >= since and a.at < until
  ), minute as ( -- few beside what they count: only these are spread over the widths
    select a.org_id, a.kind, rollup_start(60, a.at) as at, a.type, duration_bucket(a.seconds) as bucket, count(*) as n,
           count(*) filter (where a.ended = 'succeeded') as succeeded, count(*) filter (where a.ended = 'failed') as failed,
           count(*) filter (where a.ended = 'cancelled') as cancelled, coalesce(max(a.seconds), 0) as longest
      from act a group by 1, 2, 3, 4, 5
  ), spread as (
    select m.org_id, w as width_s, m.kind, rollup_start(w, m.at) as at, m.type, m.bucket, sum(m.n)::int as n,
           sum(m.succeeded)::int as succeeded, sum(m.failed)::int as failed, sum(m.cancelled)::int as cancelled, max(m.longest) as longest
      from minute m cross join unnest(rollup_widths()) w group by 1, 2, 3, 4, 5, 6
  )
  insert into activity_rollups as r (org_id, width_s, kind, at, type, succeeded, failed, cancelled, times, times_max)
  select s.org_id, s.width_s, s.kind, s.at, s.type, sum(s.succeeded), sum(s.failed), sum(s.cancelled),
         coalesce(jsonb_object_agg(s.bucket, s.n) filter (where s.bucket is not null), '{}'), max(s.longest)
    from spread s group by 1, 2, 3, 4, 5
      on conflict (org_id, width_s, kind, at, type) do update
     set succeeded = r.succeeded + excluded.succeeded, failed = r.failed + excluded.failed, cancelled = r.cancelled + excluded.cancelled,
         times = add_counts(r.times, excluded.times), times_max = greatest(r.times_max, excluded.times_max);
end $$;
