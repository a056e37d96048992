-- Shutdowns: what operators request, and what processes report.

-- Requests shutdowns of live processes. The caller makes the ids, one for each process. A new shutdown replaces an open one,
-- but nothing replaces force: such a process is not in the result.
create or replace function order_shutdowns(process_ids text[], shutdown_ids text[], kind text, cut_after interval, actor text,
                                           why text)
  returns table (shutdown_id text, runner_id text, process_id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  known text[];
begin
  select array_agg(p.id::text) into known
    from (select p.id from runner_processes p
           where p.id = any(process_ids) and p.status not in ('inactive', 'shut-down')
             and (kind = 'force' or p.draining is distinct from 'force') order by p.id for update) p;
  if known is null then
    return;
  end if;
  update runner_processes p set draining = kind, updated_at = t where p.id = any(known);
  perform move_shutdowns(known, null, 'cancel', 'replaced by a later order', t);
  with made as (
    insert into runner_process_shutdowns (id, org_id, runner_id, runner_process_id, type, deadline_at, created_at,
                                          updated_at, created_by_id, reason, execution_ids, metadata)
    select i.shutdown_id, p.org_id, p.runner_id, p.id, kind, t + cut_after, t, t, actor, why, r.ids,
           jsonb_build_object('running_jobs', cardinality(r.ids)::text,
                              'deadline', to_char((t + cut_after) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from unnest(process_ids, shutdown_ids) i (process_id, shutdown_id)
      join runner_processes p on p.id = i.process_id
     cross join lateral (select array(select l.execution_id::text from runner_job_live l
                                       where l.runner_id = p.runner_id and l.status = 'in-progress'
                                         and (l.process_id = p.id or l.process_id is null and p.id = any(l.holders))
                                       order by l.id) as ids) r
     where p.id = any(known)
    returning id, org_id
  )
  insert into status_history (owner_id, org_id, status, description, at)
  select m.id, m.org_id, 'requested', 'asked for by an operator', t from made m;
  perform refresh_runners(array(select distinct p.runner_id from runner_processes p where p.id = any(known)));
  return query
  select d.id::text, d.runner_id::text, d.runner_process_id::text from runner_process_shutdowns d
   where d.id = any(shutdown_ids);
end $$;

-- Moves the open shutdowns of processes (one, or all) by the table of moves.
create or replace function move_shutdowns(process_ids text[], shutdown text, event text, description text, t timestamptz)
  returns void
  language sql as $$
  with changed as (
    update runner_process_shutdowns d
       set status = shutdown_status_after(d.status, event), status_description = description, updated_at = t,
           deadline_at = case when event = 'begin' then d.deadline_at end
     where d.runner_process_id = any(process_ids) and (shutdown is null or d.id = shutdown) and d.deadline_at is not null
       and shutdown_status_after(d.status, event) is not null
    returning d.id, d.org_id, d.status
  )
  insert into status_history (owner_id, org_id, status, description, at)
  select c.id, c.org_id, c.status, description, t from changed c
$$;

-- Whether one process can confirm that an execution has stopped: no other process can still hold it.
create or replace function speaks_for(process text, s stopping_executions) returns boolean
  language sql stable as $$
  select coalesce((s).process_id = process,
                  (s).holders is null or process = any((s).holders) and not exists (
                    select from unnest((s).holders) h join runner_processes p on p.id = h
                     where p.id <> process and p.status <> 'shut-down'))
$$;

-- A process reports its shutdown status. shut-down ends its executions at once, because nothing of it runs any more. After a
-- force shutdown they are never retried.
create or replace function process_goes_down(process text, new_status text, description text) returns queue_key[]
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  woken queue_key[];
  runner text;
  is_forced boolean;
begin
  select p.runner_id, p.draining is not distinct from 'force' into runner, is_forced
    from runner_processes p where p.id = process for update;
  perform move_processes(array[process], case new_status when 'pending-shutdown' then 'announce-shutdown'
                                                         when 'shutting-down' then 'begin-shutdown'
                                                         when 'shut-down' then 'shut-down' end, description, t);
  perform move_shutdowns(array[process], null, case new_status when 'shut-down' then 'complete' else 'begin' end,
                         description, t);
  perform lock_queues(queues_of_runners(array[runner])); -- all at once: the calls below lock them in parts, which could deadlock
  woken := array(select k from refresh_runners(array[runner]) k); -- first, so that none of its slots is given to a job
  if new_status = 'shut-down' then
    woken := woken
          || array(select k from end_executions(array[process], case when is_forced then 'forced' else 'lost' end,
                     case when is_forced then 'shut down by an operator' else 'process lost: it shut down' end, true) k)
          || array(select k from confirm_stopped(array(
               select s.execution_id from stopping_executions s
                where s.runner_id = runner
                  and speaks_for(process, s)), t) k);
  end if;
  return woken;
end $$;

-- A process completed its shutdown. A third-party process that was shutting down reports nothing after this, so it is shut down.
create or replace function complete_shutdown(process text, shutdown text) returns queue_key[]
  language plpgsql as $$
declare
  is_last boolean;
begin
  select not p.is_ours and p.status <> 'shut-down'
         and (p.draining is not null or p.status in ('pending-shutdown', 'shutting-down'))
    into is_last from runner_processes p where p.id = process for update;
  perform move_shutdowns(array[process], shutdown, 'complete', 'the process said so', svc_now());
  if is_last then
    return process_goes_down(process, 'shut-down', 'it completed its shutdown');
  end if;
  return '{}';
end $$;

-- The host of a process announced its termination: the process gets no more jobs.
create or replace function process_terminating(process text) returns queue_key[]
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  runner text;
begin
  update runner_processes p
     set going_away_at = coalesce(p.going_away_at, t), draining = coalesce(p.draining, 'graceful'), updated_at = t
   where p.id = process and p.status not in ('inactive', 'shut-down')
  returning p.runner_id into runner;
  if runner is null then
    return '{}';
  end if;
  return array(select k from refresh_runners(array[runner]) k);
end $$;
