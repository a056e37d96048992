-- Ends that no process reported: cancel, flush, deprovision, loss, force.

-- outcome: ended · already · final · not-found; and 'wake' rows as take_reports answers them.
create or replace function end_jobs(org text, job_ids text[], event text, why text)
  returns table (job_id text, outcome text, status text, runner_id text, job_group text, execution_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  keys queue_key[];
  t timestamptz;
begin
  keys := queues_of_jobs(array(select l.id from runner_job_live l where l.org_id = org and l.id = any(job_ids)));
  perform lock_queues(keys);
  t := svc_now();
  return query
  with moved as materialized (
    select * from end_locked_jobs(array(select l.id from runner_job_live l
                                         where l.org_id = org and l.id = any(job_ids)), event, why, t)
  )
  select a.id, case when m.job_id is not null then 'ended' when d.status is null then 'not-found'
                    when d.status = job_status_after('queued', end_jobs.event) then 'already'
                    else 'final' end,
         coalesce(m.to_status, d.status), m.runner_id, m.job_group, m.execution_id
    from unnest(job_ids) a (id)
    left join moved m on m.job_id = a.id
    left join runner_job_ends d on d.org_id = org and d.runner_job_id = a.id;
  return query
  select null::text, 'wake', null::text, k.runner_id, k.job_group, null::text from release_jobs(keys, false, t) k;
end $$;

-- Cancels those of these jobs that are open and, unless only_statuses is null, in one of those statuses: whoever looked for them
-- read them without a lock. One row for each, with its status before; and 'wake' rows as take_reports answers them.
create or replace function cancel_matching_jobs(org text, job_ids text[], only_statuses text[], why text)
  returns table (job_id text, outcome text, runner_id text, execution_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  keys queue_key[];
  t timestamptz;
begin
  keys := queues_of_jobs(array(select l.id from runner_job_live l where l.org_id = org and l.id = any(job_ids)));
  if keys is null then
    return;
  end if;
  perform lock_queues(keys);
  t := svc_now();
  return query
  select m.job_id, m.from_status, m.runner_id, m.execution_id
    from end_locked_jobs(array(
           select l.id from runner_job_live l
            where l.org_id = org and l.id = any(job_ids) and (only_statuses is null or l.status = any(only_statuses))
            order by l.id for update of l), -- claims take no queue lock, so the row lock has each row read again
         'cancel', why, t) m;
  return query
  select null::text, 'wake', k.runner_id, null::text from release_jobs(keys, false, t) k;
end $$;

create or replace function queues_of_jobs(job_ids text[]) returns queue_key[]
  language sql stable as $$
  select array_agg(distinct row(l.runner_id::text, l.job_group::text)::queue_key)
    from runner_job_live l where l.id = any(job_ids)
$$;

-- Ends jobs that are not final yet as `cancel` or `skip` says. The caller holds their queues' locks.
create or replace function end_locked_jobs(job_ids text[], event text, why text, t timestamptz) returns setof moved_job
  language plpgsql as $$
declare
  moves job_move[];
begin
  perform 1 from runner_job_live l where l.id = any(job_ids) order by l.id for update; -- claims take no queue lock
  perform lock_executions(job_ids);
  select array_agg(row(l.id, event, case when e.id is not null then job_status_after(l.status, event) end,
                       'broker', why, null,
                       -- our agent starts nothing before its first report is answered, so a pending execution does not run
                       case when e.id is not null and not (e.is_ours and e.status = 'pending') then 'cancelled' end,
                       null)::job_move)
    into moves
    from runner_job_live l
    left join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
   where l.id = any(job_ids);
  if moves is not null then
    return query select * from move_jobs(moves, t);
  end if;
end $$;

-- Ends the waiting jobs of a runner (one group, or all); with_running, the running ones as well.
create or replace function flush_queues(org text, runner text, only_group text, with_running boolean, why text)
  returns table (job_id text, from_status text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  keys queue_key[];
begin
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) into keys
    from runner_queues q
   where q.org_id = org and q.runner_id = runner and (only_group is null or q.job_group = only_group);
  perform lock_queues(keys);
  return query
  select m.job_id, m.from_status
    from end_locked_jobs(array(
           select l.id from runner_job_live l join unnest(keys) k using (runner_id, job_group)
            where with_running or l.status <> 'in-progress'
            order by l.id for update of l), -- claims take no queue lock, so the row lock has each row read again
         'skip', why, svc_now()) m;
  perform release_jobs(keys, false, svc_now());
end $$;

-- Ends all executions of processes. reason 'lost': a stored result decides; without one the job is retried while attempts
-- remain. reason 'forced': the job fails and is never retried. confirmed: the process itself reported that nothing runs any more.
-- A timeout of the job that has passed comes before the loss: such a job is left to sweep_jobs.
create or replace function end_executions(process_ids text[], reason text, why text, confirmed boolean)
  returns setof queue_key
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  b broker_listening;
  t timestamptz;
  keys queue_key[];
  moves job_move[];
begin
  select array_agg(distinct row(l.runner_id::text, l.job_group)::queue_key) into keys from executions_of(process_ids) l;
  if keys is null then
    return;
  end if;
  select * into b from broker_listening; -- its row must not be locked after a queue
  perform lock_queues(keys);
  perform lock_executions(array(select l.id from executions_of(process_ids) l));
  t := svc_now();
  select array_agg(row(l.id,
           case when reason = 'forced' then 'fail'
                when s.execution_id is not null then case when e.is_ours and s.success then 'finish' else 'fail' end
                when may_retry(l, t) then 'retry' else 'fail' end,
           case when reason <> 'forced' and e.is_ours and s.success then 'finished' else 'failed' end,
           'broker', why, null,
           case when not confirmed then reason end, null)::job_move)
    into moves
    from executions_of(process_ids) l
    join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
    left join runner_job_execution_results s on s.execution_id = e.id
   where reason <> 'lost' or confirmed or (l.overall_at > t and act_at(e.deadline_at, b) > t);
  if moves is null then
    return;
  end if;
  perform move_jobs(moves, t);
  return query select * from release_jobs(keys, false, t);
end $$;

-- The executions of processes. One that several processes may hold counts only when the last of them is gone.
create or replace function executions_of(process_ids text[]) returns setof runner_job_live
  language sql stable as $$
  select l.* from runner_job_live l
    join runner_processes p on p.id = any(process_ids) and p.runner_id = l.runner_id and l.process_id = p.id
   where l.status = 'in-progress'
  union all
  select l.* from runner_job_live l
   where l.status = 'in-progress' and l.process_id is null
     and l.runner_id in (select p.runner_id from runner_processes p where p.id = any(process_ids))
     and l.holders && process_ids
     and not exists (select from unnest(l.holders) h join runner_processes p on p.id = h
                      where p.id <> all(process_ids) and p.status not in ('inactive', 'shut-down'))
$$;

-- Frees what stopping executions hold, after a process confirmed the stop or the grace is over.
create or replace function confirm_stopped(execution_ids text[], t timestamptz) returns setof queue_key
  language plpgsql as $$
declare
  keys queue_key[];
  job_ids text[];
begin
  select array_agg(distinct row(s.runner_id::text, s.job_group)::queue_key), array_agg(s.runner_job_id::text) into keys, job_ids
    from stopping_executions s where s.execution_id = any(execution_ids);
  if keys is null then
    return;
  end if;
  perform lock_queues(keys);
  perform free_plan_locks(execution_ids, t);
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
  perform wake_workflow(j.org_id, j.workflow_id) from runner_jobs j where j.id = any(job_ids) and j.workflow_id is not null;
  return query select * from release_jobs(keys, false, t);
end $$;
