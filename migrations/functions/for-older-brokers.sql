-- Functions that only brokers of an older version call while they run beside this one (test/builds), or calls that were under
-- way while the functions were replaced. Once neither is possible, remove the text and drop the function in a numbered migration.

-- confirm_by_polls for one group. Called by brokers up to schema 0041.
create or replace function confirm_by_poll(runner text, only_group text) returns queue_key[]
  language sql
  return confirm_by_polls(runner, array[only_group], array[null::timestamptz]);

-- A block by an operator; replaced by hold_back_workspace. Called by brokers up to schema 0047.
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

-- Replaced by write_ends. Called by a take_reports that began before the functions were replaced.
create or replace function end_reported_jobs(moves job_move[], records bigint[], t timestamptz) returns void
  language plpgsql as $$
begin
  perform block_half_done(moves, t);
  perform write_ends(moves, records, t);
end $$;

-- The order of an execution's statuses; replaced by execution_status_after. Called by a take_reports that
-- began before the functions were replaced.
create or replace function execution_rank(status text) returns int
  language sql immutable parallel safe
  return case when status is null then null when status = 'pending' then 0 when status = 'initializing' then 1
              when status = 'in-progress' then 2 when status = 'cleaning-up' then 3 else 4 end;

-- Replaced by move_processes and move_shutdowns. Called by functions that began before they were replaced.
create or replace function set_process_status(process_ids text[], new_status text, description text, t timestamptz) returns void
  language plpgsql as $$
begin
  perform move_processes(process_ids, case new_status when 'active' then 'beat' when 'offline' then 'silence'
                                                      when 'inactive' then 'give-up'
                                                      when 'pending-shutdown' then 'announce-shutdown'
                                                      when 'shutting-down' then 'begin-shutdown'
                                                      when 'shut-down' then 'shut-down' end, description, t);
end $$;

create or replace function end_shutdowns(process_ids text[], new_status text, description text, t timestamptz) returns void
  language plpgsql as $$
begin
  perform move_shutdowns(process_ids, null, case new_status when 'completed' then 'complete' when 'failed' then 'fail'
                                                            when 'cancelled' then 'cancel' end, description, t);
end $$;

create or replace function set_shutdown_status(process text, shutdown text, new_status text, description text, t timestamptz)
  returns void
  language plpgsql as $$
begin
  perform move_shutdowns(array[process], shutdown, case new_status when 'in-progress' then 'begin'
                                                                   when 'completed' then 'complete' end, description, t);
end $$;

-- Forward steps and confirmations, which take_reports itself writes now. Called by one that began before the functions
-- were replaced.
create or replace function step_reported(reports execution_report[], t timestamptz) returns table (
  n int, e_id text, e_org_id text, e_runner_job_id text, e_runner_id text, e_process_id text, e_holders text[],
  e_is_ours boolean, e_status text, e_status_description text, e_ended_by text, e_history jsonb,
  e_created_at timestamptz, e_deadline_at timestamptz, e_confirmed_at timestamptz, e_finished_at timestamptz,
  e_last_record bigint)
  language sql as $$
  update runner_job_executions e
     set status = coalesce(execution_status_after(e.status, r.event), e.status),
         status_description = case when r.status = e.status or execution_status_after(e.status, r.event) is not null
                                   then coalesce(r.description, e.status_description) else e.status_description end,
         history = case when execution_status_after(e.status, r.event) is not null
                        then e.history || jsonb_build_object('status', e.status, 'description', e.status_description,
                                                             'at', t) else e.history end,
         confirmed_at = coalesce(e.confirmed_at, t)
    from (select u.n, u.org_id, u.runner_id, u.job_id, u.execution_id, u.status, u.description,
                 execution_event(u.status) as event
            from unnest(reports) u
           where not coalesce(u.give_back, false) and not is_execution_end(u.status)
           order by u.execution_id) r
   where e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id and e.finished_at is null
     and (r.job_id is null or e.runner_job_id = r.job_id)
     and (e.confirmed_at is null or execution_status_after(e.status, r.event) is not null)
  returning r.n, e.id::text, e.org_id::text, e.runner_job_id::text, e.runner_id::text, e.process_id::text, e.holders,
            e.is_ours, e.status, e.status_description, e.ended_by, e.history, e.created_at, e.deadline_at,
            e.confirmed_at, e.finished_at, e.last_record
$$;

-- Replaced by order_shutdowns. Called by brokers up to revision 27 of the functions.
create or replace function request_shutdowns(process_ids text[], shutdown_ids text[], kind text, cut_after interval, actor text)
  returns table (shutdown_id text, runner_id text, process_id text)
  language sql as $$
  select * from order_shutdowns(process_ids, shutdown_ids, kind, cut_after, actor, '')
$$;

-- Has the events of these orgs fanned out soon by a task; replaced by tell_of_events. Called by brokers up to schema 0109.
create or replace function fan_out_soon(orgs text[]) returns void
  language sql as $$
  select graphile_worker.add_job('fan-out-events', json_build_object('org_id', o), job_key := 'fan-out-events:' || o,
                                 job_key_mode := 'preserve_run_at')
    from (select distinct o from unnest(orgs) o order by o) o
$$;
