-- Workflows. What moves one is decided outside, from a snapshot, and written in one statement by whoever finds it as it was read: its
-- steps, what they are about, its jobs, events, its place in its lane and the next wake. Lock order: the workflow, the install, its lane,
-- runners' queues, jobs.

-- Has a workflow looked at soon, or at an instant: the last act of a statement.
create or replace function wake_workflow(org text, workflow text, at timestamptz default null) returns void
  language sql as $$
  select graphile_worker.add_job(workflow_task(), json_build_object('org_id', org, 'workflow_id', workflow), run_at := at,
                                 job_key := case when at is null then 'advance:' else 'advance-at:' end || workflow, max_attempts := 10)
$$;

-- Creates a workflow with its place in its lane. outcome: created · full (the lane) · no-lane
-- draft: the columns of a workflow, and run_id; install_action_run, install_deploy: the run or the deploy that it is for, if any
create or replace function create_workflow(draft jsonb, t timestamptz) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  w workflows := jsonb_populate_record(null::workflows, draft);
  outcome text;
begin
  perform lock_signal_queues(array[w.queue_id::text]);
  outcome := file_workflow(w.org_id, w.queue_id, w.id, w.signal_id, w.created_by_id, t);
  if outcome <> 'filed' then
    return outcome;
  end if;
  perform insert_workflow(draft, t);
  return 'created';
end $$;

-- Creates a workflow whose place in its lane is there already: the signal of an emitter's tick, whose turn it is. outcome: created ·
-- not-found (the install) · gone (the signal is not in flight any more, or has its workflow)
create or replace function begin_ticked_workflow(org text, install text, draft jsonb) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  w workflows := jsonb_populate_record(null::workflows, draft);
begin
  perform 1 from installs i where i.org_id = org and i.id = install and i.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  end if;
  draft := draft || jsonb_build_object('chain', chain_of_tick(org, install, draft #>> '{params,app_config_id}', w.signal_id));
  perform lock_signal_queues(array[w.queue_id::text]);
  if not exists (select from queue_signal_live l where l.id = w.signal_id and l.queue_id = w.queue_id and l.status = 'in-flight')
     or exists (select from workflows x where x.signal_id = w.signal_id) then
    return 'gone';
  end if;
  perform insert_workflow(draft, svc_now());
  return 'created';
end $$;

create or replace function insert_workflow(draft jsonb, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  w workflows := with_chain(jsonb_populate_record(null::workflows, draft));
begin
  insert into workflows (id, org_id, type, owner_type, owner_id, status, status_description, status_at, role, plan_only, approval_option,
                         metadata, params, signal_id, queue_id, created_at, created_by_id, parent_id, parent_step_id, child_key, depth,
                         shares_place, chain, prevents_self_approval, approve_all_chain)
  values (w.id, w.org_id, w.type, w.owner_type, w.owner_id, 'pending', '', t, coalesce(w.role, ''),
          coalesce(w.plan_only, false), w.approval_option, coalesce(w.metadata, '{}'), coalesce(w.params, '{}'),
          w.signal_id, w.queue_id, t, w.created_by_id, w.parent_id, w.parent_step_id, w.child_key, coalesce(w.depth, 0),
          coalesce(w.shares_place, false), w.chain, w.prevents_self_approval, w.approve_all_chain);
  if draft ? 'given' then
    insert into workflow_givens (workflow_id, org_id, key_id, contents)
    values (w.id, w.org_id, draft #>> '{given,key_id}', decode(draft #>> '{given,base64}', 'base64'));
  end if;
  insert into workflow_runs (id, org_id, workflow_id, type, status, created_at)
  values (draft ->> 'run_id', w.org_id, w.id, 'initial', 'pending', t);
  insert into install_action_runs (id, org_id, install_id, action_id, action_config_id, name, workflow_id, trigger_type, triggered_by_id,
                                   status, status_at, role, timeout, created_at, created_by_id)
  select r.id, w.org_id, r.install_id, r.action_id, r.action_config_id, r.name, w.id, r.trigger_type, coalesce(r.triggered_by_id, ''),
         'queued', t, coalesce(r.role, ''), r.timeout, t, w.created_by_id
    from jsonb_populate_record(null::install_action_runs, draft -> 'install_action_run') r where r.id is not null;
  if draft ? 'install_deploy' then
    perform insert_asked_deploy(w, draft -> 'install_deploy', t);
  end if;
end $$;

-- An approval without the plan that it is about, which may be long: it is not even read.
create or replace function approval_row(a workflow_approvals) returns jsonb
  language sql stable
  as $$
  select jsonb_build_object('id', (a).id, 'step_id', (a).step_id, 'type', (a).type, 'plan_digest', (a).plan_digest, 'key_id', (a).key_id,
                            'created_at', (a).created_at, 'expires_at', (a).expires_at, 'response_id', (a).response_id,
                            'response_type', (a).response_type, 'note', (a).note, 'responded_at', (a).responded_at,
                            'responded_by_id', (a).responded_by_id)
$$;

-- All that is stored of a workflow, for whoever decides about it. Null: there is none.
create or replace function read_workflow(org text, workflow text) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select jsonb_build_object(
    'now', svc_now(),
    'workflow', to_jsonb(w) || jsonb_build_object(
      'chain', chain_of_workflow(w),
      'prevents_self_approval', w.prevents_self_approval or (select o.prevent_self_approval from orgs o where o.id = w.org_id)),
    'runs', (select coalesce(jsonb_agg(to_jsonb(r) order by r.id), '[]') from workflow_runs r where r.workflow_id = w.id),
    'groups', (select coalesce(jsonb_agg(to_jsonb(g) order by g.group_idx, g.group_retry_idx), '[]')
                 from workflow_groups g where g.workflow_id = w.id),
    'steps', (select coalesce(jsonb_agg(to_jsonb(s) order by s.idx, s.id), '[]') from workflow_steps s where s.workflow_id = w.id),
    'approvals', (select coalesce(jsonb_agg(approval_row(a) order by a.id), '[]')
                    from workflow_approvals a where a.workflow_id = w.id),
    'action_runs', (select coalesce(jsonb_agg(to_jsonb(r) order by r.id), '[]') from install_action_runs r where r.workflow_id = w.id),
    'builds', (select coalesce(jsonb_agg(to_jsonb(b) order by b.id), '[]') from component_builds b where b.workflow_id = w.id),
    'deploys', case when w.owner_type = 'installs' then deploys_of_workflow(org, workflow) else '[]' end,
    'targets', case when w.owner_type = 'installs' then targets_of_install(org, w.owner_id, workflow) else '[]' end,
    'policy_checks', policy_checks(org, workflow),
    'superseded_builds', (select coalesce(jsonb_object_agg(x.id, x.newer), '{}')
                            from (select b.id, newer_build(org, b.id) as newer from component_builds b
                                   where b.workflow_id = w.id and b.status in ('planning', 'building')) x
                           where x.newer is not null),
    'jobs', (select coalesce(jsonb_agg(jsonb_build_object(
                      'id', s.job_id, 'status', coalesce(l.status, d.status, 'cancelled'),
                      'status_description', coalesce(d.status_description, ''), 'clock', d.clock,
                      'composite_error', d.composite_error,
                      'class', (select coalesce(r.error_metadata ->> 'class', r.error_metadata ->> 'reason') from runner_job_execution_results r
                                 where r.execution_id = d.final_execution_id),
                      'is_stopping', exists (select from stopping_executions x where x.runner_job_id = s.job_id))), '[]')
               from workflow_steps s
               left join runner_job_live l on l.id = s.job_id
               left join runner_job_ends d on d.runner_job_id = s.job_id
              where s.workflow_id = w.id and s.status = 'in-progress' and s.job_id is not null),
    'children', (select coalesce(jsonb_agg(jsonb_build_object(
                          'id', c.id, 'type', c.type, 'owner_id', c.owner_id, 'step_id', c.parent_step_id, 'key', c.child_key,
                          'status', c.status, 'status_description', c.status_description, 'is_cancelling', c.is_cancelling)
                          order by c.created_at, c.id), '[]') -- ids are of brokers' clocks
                   from workflows c where c.parent_id = w.id),
    'is_parent_finished', w.parent_id is not null
                          and not exists (select from workflows p where p.org_id = w.org_id and p.id = w.parent_id and p.finished_at is null),
    'lane', (select q.name from queues q where q.org_id = w.org_id and q.id = w.queue_id),
    'signal_status', (select l.status from queue_signal_live l where l.id = w.signal_id),
    'has_waiting', exists (select from queue_counters c where c.queue_id = w.queue_id and c.waiting > 0),
    'has_live_runner', exists (select from installs i join runner_processes p on p.org_id = i.org_id and p.runner_id = i.runner_id
                                where i.org_id = w.org_id and i.id = w.owner_id and p.status = 'active'))
    from workflows w where w.org_id = org and w.id = workflow
$$;

-- Writes what was decided, or nothing. outcome: written · stale (somebody else moved it) · lane-REASON · job-REASON (it was not taken)
-- · children-JSON (why which were not taken, by their refs)
create or replace function write_workflow(org text, workflow text, expected bigint, change jsonb)
  returns table (outcome text, is_on_offer boolean)
  language plpgsql as $$
begin
  return query select 'written', write_workflow_now(org, workflow, expected, change);
exception when sqlstate 'SVC01' then
  return query select sqlerrm, false;
end $$;

-- The same, refused by an error. Answers whether a job is on offer.
-- change: {workflow {…, events}, runs, groups, steps [{…, events}], approvals [{…, base64, shown}], action_runs, builds, deploys, targets (what changes of each), evaluations, jobs, children, events, install,
-- ends_place, new_signal_id, place (yield, requeue), wake, wake_at, joined_by (who retried or resumed it), approve_all_by (who set
-- approve-all)}
create or replace function write_workflow_now(org text, workflow text, expected bigint, change jsonb) returns boolean
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  w workflows := jsonb_populate_record(null::workflows, change -> 'workflow');
  held workflows;
  filed text;
  refusal text;
  refused jsonb;
  made enqueued_job[];
  joined text[] := array(select jsonb_array_elements_text(coalesce(change -> 'joined_by', '[]'))
                         union select a ->> 'responded_by_id' from jsonb_array_elements(change -> 'approvals') a
                                where a ->> 'response_type' = 'retry');
begin
  update workflows x
     set status = status_after_all('workflow', x.status, change #> '{workflow,events}'), status_description = w.status_description,
         status_at = w.status_at, approval_option = w.approval_option, app_config_id = w.app_config_id, signal_id = w.signal_id,
         is_cancelling = w.is_cancelling, error = nullif(w.error, 'null'), faults = w.faults, started_at = w.started_at,
         finished_at = w.finished_at, version = x.version + 1,
         chain = case when joined = '{}' then x.chain else joined_chain(chain_of_workflow(x), chain_of(joined)) end,
         approve_all_chain = case when change ? 'approve_all_by' then chain_of(array[change ->> 'approve_all_by'])
                                  else x.approve_all_chain end
   where x.org_id = org and x.id = workflow and x.version = expected
  returning x.* into held;
  if not found then
    raise exception 'stale' using errcode = 'SVC01';
  end if;
  if joined <> '{}' and held.parent_id is not null then
    perform join_parents(held, chain_of(joined));
  end if;
  insert into workflow_runs (id, org_id, workflow_id, type, status, start_from_idx, trigger_step_id, created_at, started_at, finished_at)
  select r.id, org, workflow, r.type, r.status, r.start_from_idx, r.trigger_step_id, r.created_at, r.started_at, r.finished_at
    from jsonb_populate_recordset(null::workflow_runs, change -> 'runs') r
      on conflict (id) do update
         set status = excluded.status, started_at = excluded.started_at, finished_at = excluded.finished_at;
  insert into workflow_groups (id, org_id, workflow_id, name, group_idx, group_retry_idx, parallel, result_directive, created_at)
  select g.id, org, workflow, g.name, g.group_idx, g.group_retry_idx, g.parallel, g.result_directive, g.created_at
    from jsonb_populate_recordset(null::workflow_groups, change -> 'groups') g
      on conflict (id) do update set result_directive = excluded.result_directive;
  perform write_steps(org, workflow, change -> 'steps');
  insert into workflow_approvals (id, org_id, workflow_id, step_id, type, plan_digest, key_id, contents, created_at, expires_at, response_id,
                                  response_type, note, responded_at, responded_by_id)
  select a.id, org, workflow, a.step_id, a.type, a.plan_digest, a.key_id, coalesce(decode(x ->> 'base64', 'base64'), ''), a.created_at,
         a.expires_at, a.response_id, a.response_type, a.note, a.responded_at, a.responded_by_id
    from jsonb_array_elements(change -> 'approvals') x
   cross join lateral jsonb_populate_record(null::workflow_approvals, x) a
      on conflict (id) do update
         set response_id = excluded.response_id, response_type = excluded.response_type, note = excluded.note,
             responded_at = excluded.responded_at, responded_by_id = excluded.responded_by_id;
  insert into install_action_runs (id, org_id, install_id, action_id, action_config_id, name, workflow_id, workflow_step_id, runner_job_id,
                                   trigger_type, triggered_by_id, status, status_description, status_at, role, timeout, composite_error,
                                   created_at, started_at, finished_at, created_by_id, token_digest)
  select r.id, org, r.install_id, r.action_id, r.action_config_id, r.name, workflow, r.workflow_step_id, r.runner_job_id, r.trigger_type,
         r.triggered_by_id, r.status, r.status_description, r.status_at, r.role, r.timeout, nullif(r.composite_error, 'null'), r.created_at,
         r.started_at, r.finished_at, r.created_by_id, r.token_digest
    from jsonb_populate_recordset(null::install_action_runs, change -> 'action_runs') r
      on conflict (org_id, id) do update
         set workflow_step_id = excluded.workflow_step_id, runner_job_id = excluded.runner_job_id, status = excluded.status,
             status_description = excluded.status_description, status_at = excluded.status_at,
             composite_error = excluded.composite_error, started_at = excluded.started_at, finished_at = excluded.finished_at,
             token_digest = excluded.token_digest;
  if jsonb_array_length(change -> 'builds') > 0 then
    perform write_builds(org, change -> 'builds');
  end if;
  if jsonb_array_length(coalesce(change -> 'deploys', '[]')) + jsonb_array_length(coalesce(change -> 'targets', '[]')) > 0 then
    perform write_deploys(held, change -> 'deploys', change -> 'targets');
    perform retire_pull_logins(org, change -> 'deploys', t);
  end if;
  if jsonb_array_length(change -> 'evaluations') > 0 then
    perform ask_policies(org, workflow, change -> 'evaluations');
  end if;
  if jsonb_array_length(change -> 'children') > 0 then
    perform lock_installs_of_children(held, change -> 'children');
  end if;
  if change ? 'install' then
    perform write_install_change(org, held.owner_id, workflow, change -> 'install', t);
  end if;
  if change ? 'new_signal_id' then
    perform lock_signal_queues(array[held.queue_id::text]);
    filed := file_workflow(org, held.queue_id, workflow, change ->> 'new_signal_id', held.created_by_id, t);
    if filed <> 'filed' then
      raise exception 'lane-%', filed using errcode = 'SVC01';
    end if;
  elsif change ->> 'ends_place' = 'true' then
    perform leave_place(held, t);
  elsif change ? 'place' then
    perform move_place(held.signal_id, change ->> 'place', t);
  end if;
  if jsonb_array_length(change -> 'children') > 0 then
    refused := begin_children(held, change -> 'children', t);
    if refused <> '{}' then
      raise exception 'children-%', refused using errcode = 'SVC01';
    end if;
  end if;
  if jsonb_array_length(change -> 'jobs') > 0 then
    made := array(select j from enqueue_jobs((change -> 'jobs')::json) j);
    select j.outcome into refusal from unnest(made) j where j.outcome <> 'enqueued' limit 1;
    if refusal is not null then
      raise exception 'job-%', refusal using errcode = 'SVC01';
    end if;
    perform write_registry_logins(org, change -> 'jobs');
    insert into action_run_steps (runner_job_id, step_id, org_id, status, name, idx)
    select j ->> 'id', s.step_id, org, 'pending', s.name, s.idx
      from jsonb_array_elements(change -> 'jobs') j
     cross join lateral jsonb_to_recordset(coalesce(j -> 'run_steps', '[]')) as s(step_id text, name text, idx int);
    insert into install_role_usages (id, org_id, install_id, runner_job_id, workflow_id, workflow_step_id, role_name, role_source, trace,
                                     created_at, created_by_id)
    select u ->> 'id', org, held.owner_id, j ->> 'id', workflow, j ->> 'workflow_step_id', u ->> 'role_name', u ->> 'role_source',
           u -> 'role_selection_trace', t, held.created_by_id
      from jsonb_array_elements(change -> 'jobs') j
     cross join lateral (select j -> 'role_usage' as u) x
     where u is not null;
  end if;
  insert into shown_plans (id, org_id, workflow_id, key_id, contents)
  select x ->> 'id', org, workflow, x #>> '{shown,key_id}', decode(x #>> '{shown,base64}', 'base64')
    from jsonb_array_elements(coalesce(change -> 'approvals', '[]') || coalesce(change -> 'jobs', '[]')) x
   where x ? 'shown'
      on conflict (id) do nothing;
  perform write_events(change -> 'events', t);
  -- One that fails in a place that is not its own may have lost the workflow that goes on for it.
  if change ->> 'wake' = 'true' or held.shares_place and held.status = 'failed-pending-retry' then
    perform wake_workflow(org, workflow);
  end if;
  if change ? 'wake_at' then
    perform wake_workflow(org, workflow, (change ->> 'wake_at')::timestamptz);
  end if;
  if held.parent_id is not null and held.status in ('success', 'error', 'cancelled', 'failed-pending-retry') then
    perform wake_workflow(org, held.parent_id);
  end if;
  return exists (select from unnest(made) j where j.status = 'available');
end $$;

-- Writes steps: new ones, and moves of those that are there, by the table of moves.
create or replace function write_steps(org text, workflow text, steps jsonb) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  update workflow_steps s
     set status = status_after_all('step', s.status, x -> 'events'), status_description = n.status_description, status_at = n.status_at,
         result_directive = n.result_directive, execution_type = n.execution_type, target_id = n.target_id, job_id = n.job_id, job_idx = n.job_idx,
         error = nullif(n.error, 'null'), is_retried = n.is_retried, is_told = n.is_told, deadline_at = n.deadline_at,
         started_at = n.started_at, finished_at = n.finished_at
    from jsonb_array_elements(steps) x
   cross join lateral jsonb_populate_record(null::workflow_steps, x) n
   where s.id = n.id and s.workflow_id = workflow and x ->> 'is_new' is null;
  insert into workflow_steps (id, org_id, workflow_id, group_id, idx, retry_index, kind, name, params, execution_type, status,
                              status_description, status_at, result_directive, target_type, target_id, job_id, job_idx, error, is_retried,
                              is_told, deadline_at, created_at, started_at, finished_at)
  select n.id, org, workflow, n.group_id, n.idx, n.retry_index, n.kind, n.name, n.params, n.execution_type,
         status_after_all('step', 'pending', x -> 'events'), n.status_description, n.status_at, n.result_directive, n.target_type,
         n.target_id, n.job_id, n.job_idx, nullif(n.error, 'null'), n.is_retried, n.is_told, n.deadline_at, n.created_at, n.started_at,
         n.finished_at
    from jsonb_array_elements(steps) x
   cross join lateral jsonb_populate_record(null::workflow_steps, x) n
   where x ->> 'is_new' = 'true';
end $$;
