-- The lock that a plan leaves: it writes nothing, so nobody has to look before the next one takes it.

-- Frees what executions that only plan hold, which are over and, as far as anybody can know, gone; each is written down. An
-- apply's lock stays: only people know what it has done.
create function free_plan_locks(execution_ids text[], t timestamptz) returns void
  language plpgsql as $$
declare
  keys text[];
begin
  select array_agg(k.workspace_id::text) into keys
    from runner_job_executions e
    join terraform_workspace_locks k on k.org_id = e.org_id and k.runner_job_id = e.runner_job_id
                                    and (k.execution_id is null or k.execution_id = e.id)
    join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id
                      and (j.operation in ('create-apply-plan', 'create-teardown-plan') or j.type = 'sandbox-terraform-plan')
   where e.id = any(execution_ids);
  if keys is null then
    return;
  end if;
  perform 1 from terraform_workspaces w where w.id = any(keys) order by w.id for update;
  with freed as (
    delete from terraform_workspace_locks k using runner_job_executions e
     where k.workspace_id = any(keys) and e.id = any(execution_ids) and e.org_id = k.org_id
       and e.runner_job_id = k.runner_job_id and (k.execution_id is null or k.execution_id = e.id)
    returning k as lock
  )
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  select (f.lock).org_id, (f.lock).workspace_id, 'unlocked', 'broker',
         format('%s only planned, is over and left the lock', (f.lock).runner_job_id), lock_holder(f.lock), t
    from freed f;
end $$;

-- Before these moves: of executions whose result says that their state was not saved, that they were stopped half-way or
-- killed, what their plan names; of others that change things and fail, whatever they say, while they hold a workspace,
-- that workspace. What a plan that its own process ended has left locked is free.
create or replace function block_half_done(moves job_move[], t timestamptz) returns void
  language plpgsql as $$
declare
  blocks workspace_block[];
  over text[];
begin
  if not exists (select from unnest(moves) m where m.event in ('fail', 'expire', 'retry', 'cancel')) then
    return;
  end if;
  with ended as materialized (
    select l.org_id, l.id, m.event, m.ended_by, m.clock, m.stop_reason, coalesce(m.description, '') as description,
           r.execution_id is not null as has_result, r.error_metadata ->> 'class' as class,
           coalesce(r.error_metadata ->> 'message', m.description, '') as message
      from unnest(moves) m
      join runner_job_live l on l.id = m.job_id and l.status = 'in-progress'
      left join runner_job_execution_results r on r.execution_id = l.execution_id and not r.success
     where m.event in ('fail', 'expire', 'retry', 'cancel')
  )
  select array_agg(b) into blocks from (
    select distinct on (d.job_id, d.workspace_id) row(d.org_id, d.workspace_id, d.job_id, d.kind, d.why)::workspace_block as b
      from (
        select 1 as rank, e.org_id, w.id as workspace_id, e.id as job_id, e.class as kind,
               case e.class when 'state_push_failed' then format('%s could not save its state: %s', e.id, e.message)
                            when 'interrupted' then format('%s was stopped half-way: %s', e.id, e.message)
                            else format('%s was killed while it changed things: %s', e.id, e.message) end as why
          from ended e
          join runner_job_plans p on p.runner_job_id = e.id
         cross join unnest(p.names) n
          join terraform_workspaces w on w.org_id = e.org_id and w.id = n
         where e.class in ('state_push_failed', 'killed_dirty', 'interrupted')
        union all
        select 2, e.org_id, k.workspace_id, e.id,
               case when e.stop_reason = 'timed-out' then 'timed_out' when e.stop_reason = 'forced' then 'forced'
                    when e.ended_by = 'broker' then 'lost' else 'left_locked' end,
               format(case when e.has_result then '%s failed and left the lock (%s): nobody knows what it changed'
                           else '%s ended without a result while it held the lock (%s): nobody knows what it changed' end,
                      e.id, e.message)
          from ended e
          join runner_jobs j on j.org_id = e.org_id and j.id = e.id and j.operation in ('apply-plan', 'exec')
                           and j.type <> 'sandbox-terraform-plan'
          join terraform_workspace_locks k on k.runner_job_id = e.id and k.org_id = e.org_id
         where e.event <> 'cancel') d
     order by d.job_id, d.workspace_id, d.rank) one;
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
  select array_agg(l.execution_id::text) into over
    from unnest(moves) m join runner_job_live l on l.id = m.job_id
   where m.event in ('fail', 'expire', 'retry', 'cancel') and m.stop_reason is null and l.execution_id is not null;
  if over is not null then
    perform free_plan_locks(over, t);
  end if;
end $$;

-- What executions hold that were told to stop and never said that they have.
create or replace function block_abandoned(execution_ids text[], t timestamptz) returns void
  language plpgsql as $$
declare
  blocks workspace_block[];
begin
  select array_agg(row(s.org_id, k.workspace_id, s.runner_job_id,
                       case s.reason when 'timed-out' then 'timed_out' else s.reason end,
                       format('%s was told to stop (%s) while it held the lock, and never said that it has: ' ||
                              'nobody knows what it changed', s.runner_job_id, s.reason))::workspace_block)
    into blocks
    from stopping_executions s
    join runner_jobs j on j.org_id = s.org_id and j.id = s.runner_job_id and j.operation in ('apply-plan', 'exec')
                      and j.type <> 'sandbox-terraform-plan'
    join terraform_workspace_locks k on k.runner_job_id = s.runner_job_id and k.org_id = s.org_id
    join terraform_workspaces w on w.org_id = k.org_id and w.id = k.workspace_id and w.blocked_at is null
   where s.execution_id = any(execution_ids);
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
end $$;

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
  return query select * from release_jobs(keys, false, t);
end $$;
