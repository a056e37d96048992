-- Builds of components. Lock order: the app, its lane.

-- The lane of an app's builds, which is made where it is not there. Null: another queue has its name.
create or replace function builds_lane(org text, app text, t timestamptz) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  lane text;
begin
  select q.id into lane from queues q
   where q.org_id = org and q.owner_type = 'apps' and q.owner_id = app and q.name = 'builds' and q.app_id = app and q.deleted_at is null;
  if found then
    return lane;
  end if;
  insert into queues (id, org_id, name, owner_id, owner_type, idle_timeout, app_id, status_at, created_at, updated_at)
  values (made_id('que'), org, 'builds', app, 'apps', 0, app, t, t, t)
      on conflict do nothing
  returning id into lane;
  if lane is not null then
    insert into queue_counters (queue_id, org_id, max_depth, max_in_flight, last_used_at) values (lane, org, 1000, 4, t);
  else -- somebody else has just made it, unless another queue has its name
    select q.id into lane from queues q
     where q.org_id = org and q.owner_type = 'apps' and q.owner_id = app and q.name = 'builds' and q.app_id = app and q.deleted_at is null;
  end if;
  return lane;
end $$;

-- An app's lane goes with it. What is open of its workflows is looked at, and cancelled.
create or replace function forget_builds_lane(org text, app text, t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  lanes text[] := array(select q.id::text from queues q
                         where q.org_id = org and q.owner_type = 'apps' and q.owner_id = app and q.app_id = app and q.deleted_at is null);
begin
  perform lock_signal_queues(lanes);
  delete from queue_emitters e where e.queue_id = any(lanes);
  delete from image_updates u where u.org_id = org and u.app_id = app;
  perform wake_workflow(org, w.id)
     from (select x.id from workflows x where x.owner_id = app and x.status not in ('success', 'error', 'cancelled') order by x.id) w;
  update queues q set deleted_at = t where q.id = any(lanes);
end $$;

-- Files builds of an app's components with the workflow that makes them. outcome: created · there (the same, before) · not-found
-- (the app) · full (the lane) · no-lane. draft: as create_workflow takes it, but for the lane; builds: rows of component_builds
create or replace function begin_builds(org text, app text, draft jsonb, builds jsonb) returns text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  lane text;
  outcome text;
begin
  perform 1 from apps a where a.org_id = org and a.id = app and a.deleted_at is null for share; -- it is not deleted meanwhile
  if not found then
    return 'not-found';
  end if;
  lane := builds_lane(org, app, t);
  if lane is null then
    return 'no-lane';
  end if;
  perform lock_signal_queues(array[lane]); -- of two that begin the same at once the later one sees the other's
  if exists (select from workflows w where w.org_id = org and w.id = draft ->> 'id') then
    return 'there';
  end if;
  outcome := create_workflow(draft || jsonb_build_object('queue_id', lane), t);
  if outcome <> 'created' then
    return outcome;
  end if;
  insert into component_builds (id, org_id, app_id, component_id, component_config_id, app_config_id, component_name, component_type,
                                workflow_id, status, status_at, git_ref, is_forced, is_by_sync, checksum, looked_digest,
                                created_at, created_by_id)
  select b.id, org, app, b.component_id, b.component_config_id, b.app_config_id, b.component_name, b.component_type, draft ->> 'id',
         'planning', t, b.git_ref, coalesce(b.is_forced, false), coalesce(b.is_by_sync, false), b.checksum,
         b.looked_digest, t, coalesce(draft ->> 'created_by_id', '')
    from jsonb_populate_recordset(null::component_builds, builds) b;
  perform wake_workflow(org, o.id) -- in whose place these are made, in the order in which others wake
     from (select distinct x.workflow_id::text as id
             from component_builds n
             join component_builds x on x.app_id = app and coalesce(x.component_id, '') = coalesce(n.component_id, '')
            where n.workflow_id = draft ->> 'id' and x.org_id = org and x.status in ('planning', 'building')
              and x.workflow_id <> n.workflow_id
            order by 1) o;
  return 'created';
end $$;

-- The newest build of the same by another workflow, of one that is open: the same of the same config, from the same ref. Null: there is none.
create or replace function newer_build(org text, build text) returns text
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select n.id::text
    from component_builds b
    join component_builds n on n.app_id = b.app_id and coalesce(n.component_id, '') = coalesce(b.component_id, '') and n.org_id = b.org_id
   where b.org_id = org and b.id = build
     and n.app_config_id = b.app_config_id and n.git_ref = b.git_ref and n.workflow_id <> b.workflow_id
     and (n.created_at, n.id) > (b.created_at, b.id) and n.status in ('planning', 'building') and not n.is_by_sync and (n.is_forced or not b.is_forced)
   order by n.created_at desc, n.id desc limit 1
$$;

-- Writes builds as their workflow decided; those that repeat others are new.
create or replace function write_builds(org text, builds jsonb) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  insert into component_builds (id, org_id, app_id, component_id, component_config_id, app_config_id, component_name, component_type,
                                workflow_id, workflow_step_id, runner_job_id, status, status_description, status_at, composite_error, git_ref,
                                is_forced, is_by_sync, checksum, artifact, no_op, created_at, started_at, finished_at, created_by_id)
  select b.id, org, b.app_id, b.component_id, b.component_config_id, b.app_config_id, b.component_name, b.component_type, b.workflow_id,
         b.workflow_step_id, b.runner_job_id, b.status, b.status_description, b.status_at, nullif(b.composite_error, 'null'), b.git_ref,
         coalesce(b.is_forced, false), coalesce(b.is_by_sync, false), b.checksum, b.artifact, b.no_op, b.created_at, b.started_at, b.finished_at, b.created_by_id
    from jsonb_populate_recordset(null::component_builds, builds) b
      on conflict (org_id, id) do update
         set workflow_step_id = excluded.workflow_step_id, runner_job_id = excluded.runner_job_id, status = excluded.status,
             status_description = excluded.status_description, status_at = excluded.status_at,
             composite_error = excluded.composite_error, artifact = excluded.artifact, no_op = excluded.no_op,
             started_at = excluded.started_at, finished_at = excluded.finished_at;
  perform wake_deploys_of(org, array(select x ->> 'id' from jsonb_array_elements(builds) x where x ->> 'finished_at' is not null));
end $$;
