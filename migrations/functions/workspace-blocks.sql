-- Blocks of workspaces that a job may have left half changed.

-- Blocks workspaces that are not blocked yet; records each request as an event.
create or replace function block_workspaces(blocks workspace_block[], t timestamptz) returns void
  language plpgsql as $$
begin
  perform 1 from terraform_workspaces w join unnest(blocks) b on w.org_id = b.org_id and w.id = b.workspace_id
   where w.deleted_at is null order by w.id for update of w; -- in one order, so that callers cannot deadlock
  with told as (
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    select w.org_id, w.id, 'blocked', 'broker', left(b.why, 2000),
           jsonb_build_object('kind', b.kind, 'runner_job_id', b.job_id), t
      from unnest(blocks) b
      join terraform_workspaces w on w.org_id = b.org_id and w.id = b.workspace_id and w.deleted_at is null
  )
  update terraform_workspaces w
     set blocked_at = t, blocked_by_id = 'broker', blocked_reason = left(b.why, 2000), blocked_kind = b.kind,
         blocked_job_id = b.job_id, updated_at = t
    from unnest(blocks) b
   where w.org_id = b.org_id and w.id = b.workspace_id and w.deleted_at is null and w.blocked_at is null;
end $$;

-- Called before these moves. Blocks the workspaces that a plan names if the result says that the state was not saved or that
-- the execution was stopped or killed half-way. Blocks a workspace that another failed apply or exec still has locked for more
-- than planning. Frees locks for planning only that an execution left which its own process ended.
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
     -- "offset 0" has each job looked up by its id: while tables are new, it would be planned as a scan of all live jobs
     cross join lateral (select r.* from runner_job_live r where r.id = m.job_id offset 0) l
      left join runner_job_execution_results r on r.execution_id = l.execution_id and not r.success
     where m.event in ('fail', 'expire', 'retry', 'cancel') and l.status = 'in-progress'
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
          join terraform_workspace_locks k on k.runner_job_id = e.id and k.org_id = e.org_id
                                          and not is_plan_lock(j.type, j.operation, k.info)
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

-- Blocks the workspaces that executions have locked, for more than planning, which were told to stop and never confirmed it.
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
    join terraform_workspace_locks k on k.runner_job_id = s.runner_job_id and k.org_id = s.org_id
                                    and not is_plan_lock(j.type, j.operation, k.info)
    join terraform_workspaces w on w.org_id = k.org_id and w.id = k.workspace_id and w.blocked_at is null
   where s.execution_id = any(execution_ids);
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
end $$;

-- Lifts a block. The lock of the job that it is about ends with it, once that job is final and has stopped: whoever lifts the block
-- has looked at what it left. A lock whose job may still save something stays. Deploys that wait for the workspace look again.
create or replace function unblock_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  w terraform_workspaces;
begin
  select * into w from terraform_workspaces
   where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  if w.blocked_at is not null then
    update terraform_workspaces set blocked_at = null, blocked_by_id = null, blocked_reason = null, blocked_kind = null,
                                    blocked_job_id = null, updated_at = t
     where org_id = org and id = workspace;
    with freed as (
      delete from terraform_workspace_locks k
       where k.org_id = org and k.workspace_id = w.id and k.runner_job_id = w.blocked_job_id
         and not exists (select from runner_job_live l where l.id = k.runner_job_id)
         and not exists (select from stopping_executions s where s.runner_job_id = k.runner_job_id)
      returning k as lock
    )
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    select org, workspace, 'unlocked', actor, why, lock_holder(f.lock), t from freed f
    union all
    select org, workspace, 'unblocked', actor, why, '{}', t;
    perform wake_deploys_waiting_for(org, workspace);
  end if;
  return row('done', null, null)::workspace_outcome;
end $$;
