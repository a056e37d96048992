-- How a job ends, with two things that it leaves behind: the error that it ends with, and a block of the workspaces that
-- it may have left half changed.

alter table terraform_workspaces
  add column blocked_kind text, -- a word; null: a person's
  add column blocked_job_id svc_id;
create index terraform_workspace_locks_by_job on terraform_workspace_locks (runner_job_id);

-- The error that a job which did not finish ends with: the one of its execution's result; the broker's own where it ended
-- what was running, or a clock did; null where somebody wanted it to end, or its process named none.
create function end_error(execution text, event text, ended_by text, clock text, stop_reason text, why text) returns jsonb
  language sql stable as $$
  select coalesce(
    (select r.composite_error from runner_job_execution_results r where r.execution_id = execution and not r.success),
    case when clock = 'overall_timeout'
           then jsonb_build_object('type', 'runner.overall_timeout', 'title', 'The job was not done in time',
                                   'detail', why, 'retryable', true)
         when clock = 'execution_timeout'
           then jsonb_build_object('type', 'runner.execution_timeout', 'title', 'The attempt took too long',
                                   'detail', why, 'retryable', false)
         when event = 'fail' and ended_by = 'broker' and stop_reason = 'forced'
           then jsonb_build_object('type', 'runner.forced', 'title', 'The attempt was ended by force',
                                   'detail', why, 'retryable', true)
         when event = 'fail' and ended_by = 'broker'
           then jsonb_build_object('type', 'runner.lost', 'title', 'The process that worked on the job is gone',
                                   'detail', why, 'retryable', true) end)
$$;

create type workspace_block as (org_id text, workspace_id text, job_id text, kind text, why text);

-- Blocks what is not blocked yet; each is written down.
create function block_workspaces(blocks workspace_block[], t timestamptz) returns void
  language plpgsql as $$
begin
  perform 1 from terraform_workspaces w join unnest(blocks) b on w.org_id = b.org_id and w.id = b.workspace_id
   where w.deleted_at is null order by w.id for update of w; -- in one order, so that no two wait for each other
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

-- Before these moves: of executions that change things and end without a word while they hold a workspace, that
-- workspace; of those whose result says that their state was not saved, or that they were killed, what their plan names.
create function block_half_done(moves job_move[], t timestamptz) returns void
  language plpgsql as $$
declare
  blocks workspace_block[];
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
    select row(e.org_id, k.workspace_id, e.id,
               case e.stop_reason when 'timed-out' then 'timed_out' when 'forced' then 'forced' else 'lost' end,
               format('%s ended without a result while it held the lock (%s): nobody knows what it changed',
                      e.id, e.description))::workspace_block as b
      from ended e
      join runner_jobs j on j.org_id = e.org_id and j.id = e.id and j.operation in ('apply-plan', 'exec')
      join terraform_workspace_locks k on k.runner_job_id = e.id and k.org_id = e.org_id
     where e.ended_by = 'broker' and e.event <> 'cancel' and not e.has_result
    union all
    select row(e.org_id, w.id, e.id, e.class,
               case e.class when 'state_push_failed'
                            then format('%s could not save its state: %s', e.id, e.message)
                            else format('%s was killed while it changed things: %s', e.id, e.message) end)::workspace_block
      from ended e
      join runner_job_plans p on p.runner_job_id = e.id
     cross join unnest(p.names) n
      join terraform_workspaces w on w.org_id = e.org_id and w.id = n
     where e.class in ('state_push_failed', 'killed_dirty')) d;
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
end $$;

-- What executions hold that were told to stop and never said that they have.
create function block_abandoned(execution_ids text[], t timestamptz) returns void
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
    join terraform_workspaces w on w.org_id = k.org_id and w.id = k.workspace_id and w.blocked_at is null
   where s.execution_id = any(execution_ids);
  if blocks is not null then
    perform block_workspaces(blocks, t);
  end if;
end $$;

-- Applies moves whose jobs the caller has read under lock; writes everything that belongs to them.
create or replace function move_jobs(moves job_move[], t timestamptz) returns setof moved_job
  language plpgsql as $$
begin
  perform block_half_done(moves, t);
  return query
  with j as materialized (
    select l.*, m.event, m.execution_status, m.ended_by, m.description, m.clock, m.stop_reason, m.n,
           case m.event when 'finish' then 'finished' when 'fail' then 'failed' when 'expire' then 'timed-out'
                        when 'skip' then 'not-attempted' when 'cancel' then 'cancelled' else 'queued' end as to_status,
           m.event in ('withdraw', 'return', 'retry') as goes_back
      from unnest(moves) m
      join runner_job_live l on l.id = m.job_id
  ), gone as (
    delete from runner_job_live l using j where l.id = j.id and not j.goes_back
  ), ends as (
    insert into runner_job_ends (runner_job_id, org_id, status, status_description, clock, execution_count,
                                 final_execution_id, created_at, started_at, finished_at, composite_error)
    select j.id, j.org_id, j.to_status, coalesce(j.description, ''), j.clock, j.execution_count,
           j.execution_id, j.created_at, j.started_at, t,
           case when j.event <> 'finish'
                then end_error(j.execution_id, j.event, j.ended_by, j.clock, j.stop_reason, j.description) end
      from j where not j.goes_back
  ), back as (
    update runner_job_live l
       set status = 'queued', has_slot = false, status_at = t,
           deadline_at = least(t + ns(l.queue_timeout), l.overall_at),
           withdrawals = l.withdrawals + (j.event = 'withdraw')::int,
           execution_count = l.execution_count - (j.event = 'return')::int,
           execution_id = null, process_id = null, holders = null, offered_until = null,
           blocked_by = case when j.stop_reason is not null then j.execution_id end,
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from j where l.id = j.id and j.goes_back
  ), ended as (
    update runner_job_executions e
       set status = j.execution_status, status_description = coalesce(j.description, ''),
           ended_by = j.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t)
      from j
     where j.execution_status is not null and e.org_id = j.org_id and e.id = j.execution_id
    returning j.id, j.org_id, j.runner_id, j.job_group, j.process_id, j.holders, j.event, j.status as from_status,
              j.to_status, j.stop_reason, j.stop_grace, j.changes_things, e.id as execution_id, e.is_ours, e.deadline_at,
              e as execution, j.n
  ), stopping as (
    insert into stopping_executions (execution_id, org_id, runner_id, job_group, runner_job_id, process_id, holders,
                                     is_ours, reason, started_at, slot_until, gone_by, deadline_at)
    select e.execution_id, e.org_id, e.runner_id, e.job_group, e.id, e.process_id, e.holders,
           e.is_ours, e.stop_reason, t, t + ns(e.stop_grace),
           case when e.stop_reason = 'lost' and e.changes_things
                then greatest(e.deadline_at, t) + ns(e.stop_grace) else t + ns(e.stop_grace) end,
           t + ns(e.stop_grace)
      from ended e where e.stop_reason is not null
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select j.org_id, j.id, j.runner_id, j.job_group, j.event, j.status, j.to_status,
           j.execution_id, coalesce(j.description, ''), t, greatest(j.event_tx, pg_current_xact_id())
      from j
  ), counted as (
    update runner_queues q
       set in_use = q.in_use - c.freed, waiting = q.waiting + c.waiting
      from (select j.runner_id, j.job_group,
                   count(*) filter (where j.has_slot and j.stop_reason is null) as freed,
                   sum(j.goes_back::int - (not j.has_slot)::int) as waiting
              from j group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
       and (c.freed <> 0 or c.waiting <> 0)
  )
  select e.id::text, e.event, e.from_status, e.to_status, e.org_id::text, e.runner_id::text, e.job_group::text,
         e.execution_id::text, e.execution, e.n
    from ended e
  union all
  select j.id::text, j.event, j.status, j.to_status, j.org_id::text, j.runner_id::text, j.job_group::text,
         j.execution_id::text, null::runner_job_executions, j.n
    from j where j.execution_status is null;
end $$;

-- Ends of jobs in progress whose queues and executions the caller has locked. What goes back to its queue, or stops
-- slowly, is move_jobs' work. records: the last log records by the moves' numbers.
create or replace function end_reported_jobs(moves job_move[], records bigint[], t timestamptz) returns void
  language plpgsql as $$
begin
  perform block_half_done(moves, t);
  with gone as (
    delete from runner_job_live l using unnest(moves) m where l.id = m.job_id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.status, l.has_slot, l.execution_id, l.execution_count,
              l.created_at, l.started_at, l.event_tx, m.event, m.execution_status, coalesce(m.description, '') as why,
              m.ended_by, m.n
  ), ends as (
    insert into runner_job_ends (runner_job_id, org_id, status, status_description, execution_count,
                                 final_execution_id, created_at, started_at, finished_at, composite_error)
    select g.id, g.org_id, g.execution_status, g.why, g.execution_count, g.execution_id, g.created_at, g.started_at, t,
           case when g.event <> 'finish' then end_error(g.execution_id, g.event, g.ended_by, null, null, g.why) end
      from gone g
  ), ended as (
    update runner_job_executions e
       set status = g.execution_status, status_description = g.why, ended_by = g.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t),
           last_record = coalesce(e.last_record, records[g.n])
      from gone g where e.org_id = g.org_id and e.id = g.execution_id
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select g.org_id, g.id, g.runner_id, g.job_group, g.event, g.status, g.execution_status, g.execution_id, g.why, t,
           greatest(g.event_tx, pg_current_xact_id())
      from gone g
  )
  update runner_queues q set in_use = q.in_use - c.freed
    from (select g.runner_id, g.job_group, count(*)::int as freed from gone g where g.has_slot group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group;
end $$;

-- Stop graces: first the slot comes free, later (after a loss) a retry may start. What was never confirmed to have stopped
-- leaves the workspace that it holds blocked.
create or replace function sweep_stopping(batch int) returns swept
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  keys queue_key[];
  over text[];
  freed text[];
  result swept;
begin
  select array_agg(distinct row(d.runner_id::text, d.job_group)::queue_key),
         array_agg(d.execution_id::text) filter (where d.gone_by <= t),
         array_agg(d.execution_id::text) filter (where d.gone_by > t)
    into keys, over, freed
    from (select * from stopping_executions s where s.deadline_at <= t order by s.deadline_at limit batch) d;
  if keys is null then
    return row(0, '{}'::queue_key[], '{}'::text[], '{}'::text[])::swept;
  end if;
  perform lock_queues(keys);
  if over is not null then
    perform block_abandoned(over, t);
  end if;
  with slotless as (
    update stopping_executions s set holds_slot = false, deadline_at = s.gone_by
     where s.execution_id = any(freed) and s.holds_slot
    returning s.runner_id, s.job_group
  )
  update runner_queues q set in_use = q.in_use - c.n
    from (select s.runner_id, s.job_group, count(*)::int as n from slotless s group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group;
  result.due := coalesce(cardinality(over), 0) + coalesce(cardinality(freed), 0);
  result.wakes := array(select k from confirm_stopped(coalesce(over, '{}'), t) k)
               || array(select k from release_jobs(keys, false, t) k);
  result.org_ids := '{}';
  result.process_ids := '{}';
  return result;
end $$;

-- A block as terraform is told of it: Path says of which workspace.
create function block_holder(w terraform_workspaces) returns jsonb
  language sql stable
  return jsonb_build_object('ID', 'blocked', 'Operation', 'blocked', 'Info', w.blocked_reason, 'Who', w.blocked_by_id,
                            'Created', to_json(w.blocked_at), 'Path', w.id);

-- outcome: locked · held · blocked · ended · not-found
create or replace function lock_workspace(l terraform_workspace_locks, by_hand boolean) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
begin
  select * into w from terraform_workspaces
   where org_id = l.org_id and id = l.workspace_id and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  if found and h.lock_id = l.lock_id then
    return row('locked', lock_holder(h), w.revision)::workspace_outcome;
  elsif w.blocked_at is not null then -- who holds it may be dead: the block says what there is to do
    return row('blocked', block_holder(w), w.revision)::workspace_outcome;
  elsif h.lock_id is not null then
    return row('held', lock_holder(h), w.revision)::workspace_outcome;
  end if;
  if l.runner_job_id is not null
     and not exists (select from runner_job_live j where j.id = l.runner_job_id and j.status = 'in-progress'
                        and (l.execution_id is null or j.execution_id = l.execution_id)) then
    return row('ended', null, w.revision)::workspace_outcome;
  end if;
  l.created_at := svc_now();
  insert into terraform_workspace_locks select l.*;
  if by_hand then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (w.org_id, w.id, 'locked', l.created_by_id, coalesce(l.info ->> 'Info', ''), lock_holder(l), l.created_at);
  end if;
  return row('locked', lock_holder(l), w.revision)::workspace_outcome;
end $$;

-- What refuses a change of a workspace's state, null when nothing does: the workspace's row is locked from here.
-- heeds_block: always · unless-held (who holds the lock may save) · never (a rollback is how a block is mended)
create or replace function refuse_change(org text, workspace text, lock text, needs_lock boolean, heeds_block text)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
  is_held boolean;
begin
  select * into w from terraform_workspaces x
   where x.org_id = org and x.id = workspace and x.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  is_held := found;
  if is_held and (lock is null or lock <> h.lock_id) then
    return row('held', lock_holder(h), w.revision)::workspace_outcome;
  elsif w.blocked_at is not null and (heeds_block = 'always' or (heeds_block = 'unless-held' and not is_held)) then
    return row('blocked', block_holder(w), w.revision)::workspace_outcome;
  elsif needs_lock and not is_held then
    return row('not-locked', null, w.revision)::workspace_outcome;
  end if;
  return null;
end $$;

-- outcome: done · not-found
create or replace function block_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  update terraform_workspaces set blocked_at = t, blocked_by_id = actor, blocked_reason = why, blocked_kind = null,
                                  blocked_job_id = null, updated_at = t
   where org_id = org and id = workspace and deleted_at is null;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
  values (org, workspace, 'blocked', actor, why, t);
  return row('done', null, null)::workspace_outcome;
end $$;

create or replace function unblock_workspace(org text, workspace text, actor text, why text) returns workspace_outcome
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  was timestamptz;
begin
  select blocked_at into was from terraform_workspaces
   where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  if was is not null then
    update terraform_workspaces set blocked_at = null, blocked_by_id = null, blocked_reason = null, blocked_kind = null,
                                    blocked_job_id = null, updated_at = t
     where org_id = org and id = workspace;
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, at)
    values (org, workspace, 'unblocked', actor, why, t);
  end if;
  return row('done', null, null)::workspace_outcome;
end $$;

-- Blocks with a word for why and the job that says so. outcome: done · not-found
create function hold_back_workspace(org text, workspace text, actor text, why text, of_kind text, job text)
  returns workspace_outcome language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  update terraform_workspaces
     set blocked_at = t, blocked_by_id = actor, blocked_reason = why, blocked_kind = of_kind, blocked_job_id = job,
         updated_at = t
   where org_id = org and id = workspace and deleted_at is null;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  values (org, workspace, 'blocked', actor, why,
          jsonb_strip_nulls(jsonb_build_object('kind', of_kind, 'runner_job_id', job)), t);
  return row('done', null, null)::workspace_outcome;
end $$;
