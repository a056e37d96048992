-- What only brokers of an older version call while they run beside this one (test/builds). A function goes from here,
-- with a numbered migration that drops it, once no kept build calls it.

-- confirm_by_polls for one group. Called by brokers up to schema 0041.
create or replace function confirm_by_poll(runner text, only_group text) returns queue_key[]
  language sql
  return confirm_by_polls(runner, array[only_group], array[null::timestamptz]);

-- A block by a person; hold_back_workspace is what does it now. Called by brokers up to schema 0047.
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

-- What write_ends does now. Called by a take_reports that began before the functions were replaced.
create or replace function end_reported_jobs(moves job_move[], records bigint[], t timestamptz) returns void
  language plpgsql as $$
begin
  perform block_half_done(moves, t);
  perform write_ends(moves, records, t);
end $$;

-- The place of a status among an execution's steps; execution_status_after is what is asked now. Called by a take_reports
-- that began before the functions were replaced.
create or replace function execution_rank(status text) returns int
  language sql immutable parallel safe
  return case when status is null then null when status = 'pending' then 0 when status = 'initializing' then 1
              when status = 'in-progress' then 2 when status = 'cleaning-up' then 3 else 4 end;

-- What move_processes and move_shutdowns do now. Called by functions that began before they were replaced.
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
