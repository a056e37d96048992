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

-- Replaced by take_due_lines, which takes no more of an org than it may have. Called by brokers up to schema 0111.
-- Gives a broker lines that are due and that nobody delivers, none of these orgs. What a killed broker had comes when its lease is over.
create or replace function take_webhook_lines(most int, full_orgs text[]) returns table (webhook_id text, org_id text, lease_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
begin
  return query
  update webhook_lines l
     set lease_id = gen_random_uuid()::text, lease_until = t + interval '60 s'
   where l.webhook_id = any(array(
           select d.webhook_id from webhook_lines d
            where d.due_at <= t and (d.lease_until is null or d.lease_until <= t) and d.org_id <> all(full_orgs)
            order by d.due_at limit most for update skip locked))
  returning l.webhook_id::text, l.org_id::text, l.lease_id;
end $$;

-- Replaced by take_line_deliveries, which says whether the webhook fails. Called by brokers up to schema 0111.
-- The first delivery of each stream that is due, but those of `busy` ones, and how to reach the receiver. Extends the lease. No row: the lease
-- is somebody else's. A row without a delivery: there is none just now.
create or replace function take_deliveries(webhook text, lease text, busy text[], most int)
  returns table (id text, url text, key_id text, secret bytea, previous_key_id text, previous_secret bytea, previous_until timestamptz,
                 delivery_id text, event_id text, stream text, seq bigint, tries int, attempts int, is_resent boolean, body text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  l webhook_lines;
  room int := most;
begin
  update webhook_lines x set lease_until = t + interval '60 s'
   where x.webhook_id = webhook and x.lease_id = lease returning * into l;
  if not found then
    return;
  end if;
  if l.rests_until > t then
    room := 0;
  elsif exists (select from webhooks w where w.org_id = l.org_id and w.id = webhook and w.failing_since is not null) then
    room := greatest(0, least(most, 1 - cardinality(busy))); -- one that does not answer gets no more of its org's calls
  end if;
  return query
  select w.id::text, w.url, w.key_id, w.secret, w.previous_key_id, w.previous_secret,
         case when w.previous_until > t then w.previous_until end, d.id::text, d.event_id::text, d.stream::text, d.seq, d.tries,
         d.attempts, d.is_resent, d.body
    from webhooks w
    left join lateral (
      select h.*, e.body
        from (select s.stream from webhook_streams s
               where s.webhook_id = webhook and s.next_at <= t and s.stream <> all(busy)
                 and w.deleted_at is null and w.disabled_at is null
               order by s.next_at, s.stream limit room) s
       cross join lateral (select x.* from webhook_deliveries x
                            where x.webhook_id = webhook and x.stream = s.stream and x.status = 'pending'
                            order by x.seq limit 1) h
        join events e on e.org_id = h.org_id and e.id = h.event_id) d on true
   where w.org_id = l.org_id and w.id = webhook;
end $$;

-- Replaced by holders_of_part, change_named_part and delete_named_part. Called by brokers up to schema 0117.
create or replace function holders_of_action(org text, action text) returns text[]
  language plpgsql as $$
begin
  return holders_of_part(org, 'actions', action);
end $$;

create or replace function change_action(org text, app text, action text, change jsonb) returns table (outcome text, told text[])
  language plpgsql as $$
begin
  return query select * from change_named_part(org, app, 'actions', action, change);
end $$;

create or replace function delete_action(org text, app text, action text) returns table (outcome text, told text[])
  language plpgsql as $$
begin
  return query select * from delete_named_part(org, app, 'actions', action);
end $$;

-- Does register_agent for a process that binds its plans and does not say which it reads.
create or replace function register_bound_holder(is_allowed boolean, org text, runner text, process text, process_type text,
                                      process_version text, process_serves jsonb, secret bytea, old_process text,
                                      old_secret bytea, held text[])
  returns table (woken queue_key[], orders json)
  language plpgsql as $$
begin
  return query
  select r.woken, r.orders
    from register_agent(is_allowed, org, runner, process, process_type, process_version, process_serves, secret, old_process,
                        old_secret, held, true, null) r;
end $$;

-- Does take_evaluation_of for a broker that judges builds alone.
create or replace function take_policy_evaluation(patience interval)
  returns table (org_id text, owner_type text, owner_id text, runner_job_id text, tries int, taken_until timestamptz)
  language plpgsql
  as $$
begin
  return query
  select e.org_id, e.owner_type, e.owner_id, e.runner_job_id, e.tries, e.taken_until
    from take_evaluation_of(array['component_builds'], patience) e;
end $$;
