-- Third-party runners: a stop is confirmed also by a poll that was parked after the claim, and by the poll of a process
-- that was started in place of one that is gone; and one that registers no process has one by its first beat.

-- Whether nobody but `poller`, or who runs `s` itself, can have sent a poll of its group, and whether that poll says where
-- the execution is: everybody else who may hold it is gone. A process that fell silent, or whose host said that it goes
-- away, is gone for one that was started after that: it may have been started in its place.
create function poll_speaks_for(poller text, s stopping_executions) returns boolean
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

-- What a runner's polls of these groups (null: any) confirm, each parked since then (null: just now): what the only process
-- that serves the group was stopping there has stopped. A process that holds the execution and is gone does not count.
create function confirm_by_polls(runner text, groups text[], since timestamptz[]) returns queue_key[]
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

-- As brokers of the version before ask it.
create or replace function confirm_by_poll(runner text, only_group text) returns queue_key[]
  language sql
  return confirm_by_polls(runner, array[only_group], array[null::timestamptz]);

alter table runner_processes add column by_beat boolean not null default false;
create unique index runner_processes_by_beat on runner_processes (runner_id, type)
  where by_beat and status <> 'shut-down';

-- The process of a client that registers none: made once for a runner and a type, by whichever beat comes first, and again
-- after it has shut down. No id: the runner is not there, or has so many processes that it may have no more.
create function register_by_beat(org text, runner text, process text, process_type text, process_version text,
                                 process_serves jsonb, most int, out is_allowed boolean, out process_id text,
                                 out woken queue_key[])
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  woken := '{}';
  is_allowed := may_register(runner, null, most);
  select p.id into process_id from runner_processes p
   where p.org_id = org and p.runner_id = runner and p.type = process_type and p.by_beat and p.status <> 'shut-down';
  if found or not is_allowed then
    return;
  end if;
  insert into runner_processes (id, org_id, runner_id, type, version, serves, by_beat, started_at, created_at, updated_at,
                                status_at, deadline_at)
  select process, u.org_id, u.id, process_type, process_version, process_serves, true, t, t, t, t, t + interval '60 s'
    from runners u where u.org_id = org and u.id = runner and u.lifecycle <> 'deleted'
      on conflict (runner_id, type) where by_beat and status <> 'shut-down' do nothing;
  if not found then -- another's first beat was faster
    select p.id into process_id from runner_processes p
     where p.org_id = org and p.runner_id = runner and p.type = process_type and p.by_beat and p.status <> 'shut-down';
    return;
  end if;
  process_id := process;
  insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at, version)
  values (process, org, runner, t, process_version);
  insert into status_history (owner_id, org_id, status, description, at)
  values (process, org, 'pending', 'registered by its first beat', t);
  woken := array(select k from refresh_runners(array[runner]) k);
end $$;

-- A process did what it was asked. It is the last word of a third-party runner: if it was going down, it has shut down.
create function complete_shutdown(process text, shutdown text) returns queue_key[]
  language plpgsql as $$
declare
  is_last boolean;
begin
  select not p.is_ours and p.status <> 'shut-down'
         and (p.draining is not null or p.status in ('pending-shutdown', 'shutting-down'))
    into is_last from runner_processes p where p.id = process for update;
  perform set_shutdown_status(process, shutdown, 'completed', 'the process said so', svc_now());
  if is_last then
    return process_goes_down(process, 'shut-down', 'it completed its shutdown');
  end if;
  return '{}';
end $$;
