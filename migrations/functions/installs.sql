-- Installs. Lock order: the app, a workflow, the install, its lane, runners.

-- Creates an install with all that belongs to it in one statement: its number, inputs, runner group and runner (or a given group of no
-- install), lanes, and the workflow that provisions it. outcome: created · same (a live install of this name) · no-config (the app's
-- active config is another one than the draft's, or there is none) · no-group · taken (the group belongs to an install) · group-type ·
-- no-runner (the group has not exactly one) · full (the org)
create or replace function create_install(org text, draft jsonb, most int) returns table (outcome text, id text)
  language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  i installs := jsonb_populate_record(null::installs, draft);
  a apps;
  g runner_groups;
  runners_of text[];
  lane record;
  there text;
  outcome text;
begin
  select * into a from apps x where x.org_id = org and x.id = i.app_id and x.deleted_at is null for no key update;
  if not found or a.active_config_id is distinct from (draft ->> 'app_config_id') then
    return query select 'no-config', null::text;
    return;
  end if;
  select x.id into there from installs x where x.app_id = i.app_id and x.name = i.name and x.deleted_at is null;
  if found then
    return query select 'same', there;
    return;
  elsif (select count(*) from (select from installs x where x.org_id = org and x.deleted_at is null limit most) x) >= most then
    return query select 'full', null::text;
    return;
  end if;
  if draft ->> 'given_group_id' is null then
    insert into runner_groups (id, org_id, type, owner_id, owner_type, platform, created_at, updated_at, created_by_id)
    values (i.runner_group_id, org, 'install', i.id, 'install', draft ->> 'platform', t, t, i.created_by_id);
    insert into runner_group_settings (id, org_id, runner_group_id, groups, created_by_id)
    values (draft ->> 'settings_id', org, i.runner_group_id, array(select jsonb_array_elements_text(draft -> 'groups')), i.created_by_id);
    outcome := create_runner(org, i.runner_id, i.runner_group_id, i.id, i.name, draft ->> 'operation_id', i.created_by_id);
    if outcome <> 'created' then
      raise exception 'a new group refused its runner: %', outcome;
    end if;
  else
    select * into g from runner_groups x where x.org_id = org and x.id = draft ->> 'given_group_id' and x.deleted_at is null for no key update;
    if not found then
      return query select 'no-group', null::text;
      return;
    elsif g.type <> 'install' then
      return query select 'group-type', null::text;
      return;
    elsif exists (select from installs x where x.runner_group_id = g.id and x.deleted_at is null) then
      return query select 'taken', null::text;
      return;
    end if;
    runners_of := array(select u.id::text from runners u where u.org_id = org and u.runner_group_id = g.id and u.lifecycle <> 'deleted');
    if cardinality(runners_of) <> 1 then
      return query select 'no-runner', null::text;
      return;
    end if;
    i.runner_group_id := g.id;
    i.runner_id := runners_of[1];
    update runner_groups x set owner_id = i.id, owner_type = 'install', updated_at = t where x.id = g.id;
  end if;
  update apps x set install_count = x.install_count + 1 where x.org_id = org and x.id = i.app_id;
  insert into installs (id, org_id, app_id, name, install_number, cloud_platform, cloud_account, labels, app_default_labels, metadata,
                        approval_option, sandbox_mode, lifecycle_phase, phase_at, runner_group_id, runner_id, has_own_runner, created_at,
                        updated_at, created_by_id, label_templates, expected_account, approve_all_chain)
  values (i.id, org, i.app_id, i.name, a.install_count + 1, i.cloud_platform, i.cloud_account, i.labels || a.default_labels,
          a.default_labels, i.metadata, i.approval_option, i.sandbox_mode, 'created', t, i.runner_group_id, i.runner_id,
          draft ->> 'given_group_id' is null, t, t, i.created_by_id, coalesce(i.label_templates, '{}'), coalesce(i.expected_account, ''),
          chain_of(array[i.created_by_id]));
  perform put_install_config(org, i.id, coalesce(draft -> 'config', jsonb_build_object(
    'id', 'inc_' || substr(i.id, 5), 'approval_option', i.approval_option, 'created_by_id', i.created_by_id)), t);
  insert into install_inputs (id, org_id, install_id, version, app_config_id, key_id, contents, created_at, created_by_id)
  values (draft #>> '{inputs,id}', org, i.id, 1, a.active_config_id, draft #>> '{inputs,key_id}',
          decode(draft #>> '{inputs,base64}', 'base64'), t, i.created_by_id);
  for lane in select * from jsonb_to_recordset(draft -> 'lanes') as x(id text, name text, max_in_flight int) loop
    insert into queues (id, org_id, name, owner_id, owner_type, idle_timeout, install_id, status_at, created_at, updated_at, created_by_id)
    values (lane.id, org, lane.name, i.id, 'installs', 0, i.id, t, t, t, i.created_by_id);
    insert into queue_counters (queue_id, org_id, max_depth, max_in_flight, last_used_at) values (lane.id, org, 1000, lane.max_in_flight, t);
  end loop;
  if draft ? 'workflow' then
    outcome := create_workflow(draft -> 'workflow', t);
    if outcome <> 'created' then
      raise exception 'a new lane refused its first workflow: %', outcome;
    end if;
  end if;
  return query select 'created', i.id::text;
end $$;

-- How many versions of its state an install keeps.
create or replace function most_states() returns int language sql immutable parallel safe return 100;

-- What a move of one of its workflows changes in an install.
create or replace function write_install_change(org text, install text, workflow text, change jsonb, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  runner text;
  newest bigint;
begin
  -- The config of before comes first, where it came unrecorded: brought by the former text of this function, after the table was filled.
  insert into install_app_configs (id, org_id, install_id, old_app_config_id, new_app_config_id, workflow_id, created_at, created_by_id)
  select made_id_at('iac', c.at), org, install, c.before, c.app_config_id, c.workflow_id, c.at,
         coalesce((select w.created_by_id from workflows w where w.org_id = org and w.id = c.workflow_id), '')
    from (select x.applied_config_id, x.phase_at
            from installs x where x.org_id = org and x.id = install and x.deleted_at is null for no key update) i
    left join lateral (select r.new_app_config_id as app_config_id, r.created_at
                         from install_app_configs r where r.install_id = install order by r.id desc limit 1) n on true
   cross join lateral (values
           (n.app_config_id, i.applied_config_id, null,
            least(greatest(i.phase_at, n.created_at + interval '1 ms'), t - interval '1 ms')),
           (i.applied_config_id, change ->> 'applied_config_id', workflow, t)) as c (before, app_config_id, workflow_id, at)
   where i.applied_config_id is distinct from coalesce(change ->> 'applied_config_id', i.applied_config_id)
     and c.before is distinct from c.app_config_id and c.app_config_id is not null;
  update installs i
     set lifecycle_phase = coalesce(change ->> 'phase', i.lifecycle_phase),
         phase_at = case when change ? 'phase' then t else i.phase_at end,
         phase_workflow_id = case when change ? 'phase' then workflow else i.phase_workflow_id end,
         applied_config_id = coalesce(change ->> 'applied_config_id', i.applied_config_id),
         applied_chain = case when not change ? 'applied_config_id' then i.applied_chain
                              when i.applied_config_id = change ->> 'applied_config_id' and i.applied_chain is null then null
                              else joined_chain(case when i.applied_config_id = change ->> 'applied_config_id' then i.applied_chain end,
                                                (select chain_of_workflow(w) from workflows w where w.org_id = org and w.id = workflow)) end,
         health = case when change ? 'health_of'
                       then (select coalesce(jsonb_object_agg(h.key, h.value), '{}') from jsonb_each(i.health) h
                              where change -> 'health_of' ? h.key)
                       else i.health end || coalesce(change -> 'health', '{}'),
         labels = case when change ? 'labels' and coalesce(change -> 'label_templates', i.label_templates) = i.label_templates -- not others since
                       then (i.labels - array(select jsonb_object_keys(i.label_templates))) || (change -> 'labels') || i.app_default_labels
                       else i.labels end,
         state_version = i.state_version + (change ? 'state')::int, version = i.version + 1, updated_at = t,
         deleted_at = case when change ->> 'is_deleted' = 'true' then t else i.deleted_at end
   where i.org_id = org and i.id = install and i.deleted_at is null
  returning i.runner_id, i.state_version into runner, newest;
  if not found then
    return;
  end if;
  if change ? 'state' then
    insert into install_states (id, org_id, install_id, version, key_id, contents, checksum, triggered_by_id, triggered_by_type, created_at)
    values (change #>> '{state,id}', org, install, newest, change #>> '{state,key_id}',
            decode(change #>> '{state,base64}', 'base64'), change #>> '{state,checksum}', workflow, 'workflows', t);
    delete from install_states s where s.install_id = install and s.version <= newest - most_states();
  end if;
  if change ? 'synced_secrets' then
    insert into install_secret_syncs (org_id, install_id, runner_job_id, secrets, synced_at)
    values (org, install, change #>> '{synced_secrets,runner_job_id}', change #> '{synced_secrets,secrets}', t)
        on conflict (install_id) do update
           set runner_job_id = excluded.runner_job_id, secrets = excluded.secrets, synced_at = excluded.synced_at;
  end if;
  if change ->> 'is_deleted' = 'true' then
    perform forget_lanes(org, install, t);
  elsif change ? 'phase' or change ? 'applied_config_id' then
    perform graphile_worker.add_job('keep-emitters', json_build_object('org_id', org, 'install_id', install),
                                    job_key := 'emitters:' || install, max_attempts := 10);
  end if;
end $$;

-- An install's lanes go with it, and the emitters in them; its runner group is free for another. What is open of its workflows is
-- looked at, and cancelled.
create or replace function forget_lanes(org text, install text, t timestamptz) returns void
  language plpgsql as $$
declare
  lanes text[] := array(select q.id::text from queues q where q.org_id = org and q.install_id = install and q.deleted_at is null);
begin
  perform lock_signal_queues(lanes);
  delete from queue_emitters e where e.queue_id = any(lanes);
  perform wake_workflow(org, w.id) from workflows w
    where w.owner_id = install and w.status not in ('success', 'error', 'cancelled');
  update queues q set deleted_at = t where q.org_id = org and q.install_id = install and q.deleted_at is null;
  update runner_groups g set owner_id = '', owner_type = '', updated_at = t
    from installs i where i.org_id = org and i.id = install and g.id = i.runner_group_id and g.owner_id = install;
end $$;

-- Creates a workflow of an install, unless something stands against it. outcome: created · not-found · full · no-lane · open (it wants no
-- other change of the install to be open: only_one) · stale (other inputs came meanwhile)
-- draft: as create_workflow takes it; inputs: another version of them, from the one that was read
create or replace function begin_workflow(org text, install text, draft jsonb, inputs jsonb default null, only_one boolean default false)
  returns text
  language plpgsql as $$
declare
  t timestamptz := svc_now();
  i installs;
  outcome text;
begin
  select * into i from installs x where x.org_id = org and x.id = install and x.deleted_at is null for no key update;
  if not found then
    return 'not-found';
  elsif exists (select from workflows w where w.org_id = org and w.id = draft ->> 'id') then
    return 'created'; -- the same request made it before, and nobody heard
  elsif only_one and exists (select from workflows w where w.owner_id = install and w.status not in ('success', 'error', 'cancelled')
                                and w.type <> 'action_workflow_run') then
    return 'open';
  elsif inputs is not null and i.inputs_version <> (inputs ->> 'from_version')::int then
    return 'stale';
  end if;
  outcome := create_workflow(draft, t); -- first: a lane that refuses it leaves the inputs as they are
  if outcome = 'created' and inputs is not null then
    insert into install_inputs (id, org_id, install_id, version, app_config_id, key_id, contents, created_at, created_by_id)
    values (inputs ->> 'id', org, install, i.inputs_version + 1, inputs ->> 'app_config_id', inputs ->> 'key_id',
            decode(inputs ->> 'base64', 'base64'), t, draft ->> 'created_by_id');
    update installs x set inputs_version = x.inputs_version + 1, version = x.version + 1, updated_at = t
     where x.org_id = org and x.id = install;
  end if;
  return outcome;
end $$;
