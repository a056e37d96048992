-- What an org keeps for a shorter time than the broker does. Each function looks at up to `most` things after `after`, deletes
-- what is older than the org's own days, and says how many it deleted and where to go on: null when it is through. It reads the
-- days itself, so that a change of them counts from the next call on. It finds all it reads by an index of the org's.

-- The instant before which what the org keeps for so many days is old; null when the broker's time applies.
create or replace function old_before(days int) returns timestamptz
  language sql volatile
  return svc_now() - make_interval(days => days);

-- Jobs that have ended, with all that belongs to them, in the order of their creation. Those that live stay, and those of which an
-- execution is still stopping.
create or replace function delete_jobs_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_jobs_days from orgs o where o.id = org));
  seen int;
  are_young boolean;
  old text[];
  runs text[];
begin
  deleted := 0;
  perform pg_advisory_xact_lock(hashtext('svc deletion of jobs')); -- as the broker's own deleting does
  select count(*), bool_and(s.created_at >= before), max(s.id),
         coalesce(array_agg(s.id) filter (where e.finished_at < before
           and not exists (select from stopping_executions x where x.runner_job_id = s.id)
           and not is_kept_job(org, s.id)), '{}')
    into seen, are_young, next, old
    from (select j.id, j.created_at from runner_jobs j
           where j.org_id = org and j.id > after and before is not null order by j.id limit most) s
    left join runner_job_ends e on e.runner_job_id = s.id;
  if seen < most or are_young then
    next := null;
  end if;
  if cardinality(old) = 0 then
    return;
  end if;
  delete from runner_job_events v where v.runner_job_id = any(old);
  runs := array(select x.id from runner_job_executions x where x.runner_job_id = any(old));
  delete from runner_job_execution_results r where r.execution_id = any(runs);
  delete from runner_job_execution_outputs o where o.execution_id = any(runs);
  delete from runner_job_plan_names n
   using runner_job_plans p, unnest(p.names) named
   where p.runner_job_id = any(old) and n.org_id = org and n.name = named and n.runner_job_id = p.runner_job_id;
  delete from runner_job_plans p where p.runner_job_id = any(old);
  delete from runner_job_ends d where d.runner_job_id = any(old);
  delete from runner_jobs j where j.org_id = org and j.id = any(old);
  get diagnostics deleted = row_count;
end $$;

-- Workflows that have finished, with all that belongs to them, in the order of their creation; see delete_workflows.
create or replace function delete_workflows_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_jobs_days from orgs o where o.id = org));
  seen int;
  are_young boolean;
  old text[];
begin
  select count(*), bool_and(s.created_at >= before), max(s.id), coalesce(array_agg(s.id) filter (where s.finished_at < before), '{}')
    into seen, are_young, next, old
    from (select w.id, w.created_at, w.finished_at from workflows w
           where w.org_id = org and w.id > after and before is not null order by w.id limit most) s;
  if seen < most or are_young then
    next := null;
  end if;
  deleted := delete_workflows(old);
end $$;

-- Old days of log streams, and streams of which nothing is left and to which nothing can come. The log of a job that has not ended
-- stays whole.
create or replace function delete_logs_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before date := (old_before((select o.retain_logs_days from orgs o where o.id = org)) at time zone 'UTC')::date;
  from_day date := coalesce(nullif(split_part(after, ' ', 1), '')::date, '-infinity');
  from_id text := split_part(after, ' ', 2);
  seen int;
  first date;
  ids text[];
  open_ids text[];
begin
  deleted := 0;
  select count(*), min(w.first_day), max((to_char(w.first_day, 'YYYY-MM-DD ') || w.id) collate "C"), coalesce(array_agg(w.id), '{}')
    into seen, first, next, ids
    from (select s.id, s.first_day from log_streams s
           where s.org_id = org and s.first_day < before and (s.first_day, s.id) > (from_day, from_id)
           order by s.first_day, s.id limit most for no key update skip locked) w;
  if seen < most then
    next := null;
  end if;
  if seen = 0 then
    return;
  end if;
  open_ids := array(select f.id from find_log_streams(array_fill(org, array[seen]), ids) f where f.is_open);
  ids := array(select s.id from log_streams s
                where s.org_id = org and s.id = any(ids) and not (s.owner_type = 'runner_jobs' and s.id = any(open_ids)));
  delete from log_chunks c
   where c.stream_id = any(ids) and c.org_id = org and c.day >= first and c.day < before;
  update log_streams s
     set first_day = before, records = c.records, bytes = c.bytes,
         expired_before = coalesce(c.first_position, s.next_position)
    from unnest(ids) i (id)
   cross join lateral (
     select coalesce(sum(k.records), 0) as records, coalesce(sum(k.bytes), 0) as bytes, min(k.position) as first_position
       from log_chunks k
      where k.stream_id = i.id and k.org_id = org and k.day >= before) c
   where s.org_id = org and s.id = i.id;
  get diagnostics deleted = row_count;
  delete from log_streams s
   where s.org_id = org and s.id = any(ids) and s.last_day < before and not s.id = any(open_ids);
end $$;

-- Heartbeat minutes, up to `most` of a hundred processes.
create or replace function delete_beat_minutes_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_heart_beats_days from orgs o where o.id = org));
  ids text[] := array(select p.id from runner_processes p
                       where p.org_id = org and p.id > after and before is not null order by p.id limit 100);
begin
  with old as materialized (
    select b.process_id, b.minute_bucket
      from unnest(ids) i (id)
     cross join lateral (select m.process_id, m.minute_bucket from runner_beat_minutes m
                          where m.process_id = i.id and m.minute_bucket < before
                          order by m.minute_bucket limit most) b
     limit most
  )
  delete from runner_beat_minutes m using old o where m.process_id = o.process_id and m.minute_bucket = o.minute_bucket;
  get diagnostics deleted = row_count;
  next := case when deleted = most then after when cardinality(ids) = 100 then ids[100] end;
end $$;

-- Processes that ended, with their shutdowns and histories, after their minutes. A runner's latest stays.
create or replace function delete_processes_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_heart_beats_days from orgs o where o.id = org));
  seen int;
  dead text[];
  histories text[];
begin
  select count(*), max(w.id),
         coalesce(array_agg(w.id) filter (where w.status in ('inactive', 'shut-down') and w.status_at < before
           and not exists (select from runner_beat_minutes m where m.process_id = w.id)
           and exists (select from runner_processes n
                        where n.runner_id = w.runner_id and (n.created_at, n.id) > (w.created_at, w.id))), '{}')
    into seen, next, dead
    from (select p.* from runner_processes p
           where p.org_id = org and p.id > after and before is not null order by p.id limit most for update skip locked) w;
  if seen < most then
    next := null;
  end if;
  with gone as (
    delete from runner_process_shutdowns d where d.runner_process_id = any(dead) returning d.id
  )
  select array(select g.id from gone g) || dead into histories;
  delete from status_history h where h.owner_id = any(histories);
  delete from runner_processes p where p.id = any(dead);
  get diagnostics deleted = row_count;
end $$;

-- Health checks, up to `most` of a hundred runners.
create or replace function delete_health_checks_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_health_checks_days from orgs o where o.id = org));
  ids text[] := array(select r.id from runners r
                       where r.org_id = org and r.id > after and before is not null order by r.id limit 100);
begin
  with old as materialized (
    select h.id
      from unnest(ids) i (id)
     cross join lateral (select c.id from runner_health_checks c
                          where c.runner_id = i.id and c.created_at < before
                          order by c.created_at limit most) h
     limit most
  )
  delete from runner_health_checks c using old o where c.id = o.id;
  get diagnostics deleted = row_count;
  next := case when deleted = most then after when cardinality(ids) = 100 then ids[100] end;
end $$;

-- Events of the audit log, the oldest first; keep_audit_event lets these go, and no others.
create or replace function delete_audit_of_org(org text, after text, most int, out deleted int, out next text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  before timestamptz := old_before((select o.retain_audit_days from orgs o where o.id = org));
  upto timestamptz;
  last text;
begin
  select w.at, w.id into upto, last
    from (select e.at, e.id from audit_events e
           where e.org_id = org and e.at < before order by e.at, e.id limit most) w
   order by w.at desc, w.id desc limit 1;
  delete from audit_events e where e.org_id = org and e.at <= upto and (e.at, e.id) <= (upto, last);
  get diagnostics deleted = row_count;
  next := case when deleted = most then after end;
end $$;
