-- What workflows write of deploys, and read of them. Lock order: the workflow, the install, the rows of what is deployed.

-- The deploys of a workflow, and runs of a sandbox.
create or replace function deploys_of_workflow(org text, workflow text) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(jsonb_agg(to_jsonb(d) order by d.id), '[]')
    from install_deploys d where d.org_id = org and d.workflow_id = workflow
$$;

-- Who holds a workspace: null if nobody does. why: of a block; else who has locked it, and for which job, if for one.
create or replace function held_workspace(w terraform_workspaces) returns jsonb
  language sql stable
  return case when w.blocked_at is not null then jsonb_build_object('why', w.blocked_reason)
              else (select jsonb_build_object('who', coalesce(k.info ->> 'Who', ''), 'job_id', k.runner_job_id)
                      from terraform_workspace_locks k where k.workspace_id = w.id) end;

-- What an install has of its components and its sandbox, with the revision of each one's state and who holds it, and whether another
-- workflow works on it.
create or replace function targets_of_install(org text, install text, workflow text) returns jsonb
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'id', c.id, 'component_id', c.component_id, 'name', c.name, 'workspace_id', c.workspace_id, 'chart_id', c.chart_id,
           'status', c.status, 'status_description', c.status_description, 'status_at', c.status_at, 'deployed_id', c.deployed_id,
           'touched_id', c.touched_id, 'latest_id', c.latest_id,
           'deployed_at', (select coalesce(d.applied_at, d.finished_at) from install_deploys d where d.org_id = org and d.id = c.deployed_id), 'drift', c.drift,
           'revision', coalesce((select w.revision from terraform_workspaces w where w.org_id = org and w.id = c.workspace_id), 0),
           'held', (select held_workspace(w) from terraform_workspaces w where w.org_id = org and w.id = c.workspace_id),
           'is_busy', exists (select from install_deploys d
                               where d.target_id = c.id and d.status in ('planning', 'applying') and d.workflow_id <> workflow))
           order by c.id), '[]')
    from install_components c where c.org_id = org and c.install_id = install
$$;

-- Writes deploys as their workflow decided, and what changes in what they are of. Refused as stale where another workflow has begun to work on
-- the same meanwhile. Who waits for a turn looks again.
create or replace function write_deploys(held workflows, deploys jsonb, targets jsonb) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  org text := held.org_id;
begin
  perform 1 from component_builds b -- whoever deletes builds asks under their locks what is needed
    where b.org_id = org and b.id = any(array(select x ->> 'build_id' from jsonb_array_elements(deploys) x)) order by b.id for share;
  if exists (select from jsonb_array_elements(deploys) x join component_builds b on b.org_id = org and b.id = x ->> 'build_id'
              where x ->> 'status' = 'planning' and b.status = 'deleting') then
    raise exception 'stale' using errcode = 'SVC01';
  end if;
  insert into install_deploys (id, org_id, install_id, target_id, component_id, component_name, component_type, type, app_config_id,
                               build_id, artifact, workflow_id, workflow_step_id, plan_job_id, apply_job_id, outputs_job_id, status,
                               status_description, status_at, composite_error, plan_only, role, changes, values_digest, revision,
                               planned_at, applied_at, created_at, started_at, finished_at, created_by_id)
  select d.id, org, d.install_id, d.target_id, d.component_id, d.component_name, d.component_type, d.type, d.app_config_id,
         d.build_id, d.artifact, d.workflow_id, d.workflow_step_id, d.plan_job_id, d.apply_job_id, d.outputs_job_id, d.status,
         d.status_description, d.status_at, nullif(d.composite_error, 'null'), d.plan_only, d.role, d.changes, d.values_digest, d.revision,
         d.planned_at, d.applied_at, d.created_at, d.started_at, d.finished_at, d.created_by_id
    from jsonb_populate_recordset(null::install_deploys, deploys) d
      on conflict (org_id, id) do update
         set app_config_id = excluded.app_config_id, build_id = excluded.build_id, artifact = excluded.artifact,
             workflow_step_id = excluded.workflow_step_id, plan_job_id = excluded.plan_job_id, apply_job_id = excluded.apply_job_id,
             outputs_job_id = excluded.outputs_job_id, status = excluded.status, status_description = excluded.status_description,
             status_at = excluded.status_at, composite_error = excluded.composite_error, role = excluded.role, changes = excluded.changes,
             values_digest = excluded.values_digest, revision = excluded.revision, planned_at = excluded.planned_at,
             applied_at = excluded.applied_at, started_at = excluded.started_at, finished_at = excluded.finished_at;
  update install_components c
     set status = coalesce(x ->> 'status', c.status), status_description = coalesce(x ->> 'status_description', c.status_description),
         status_at = coalesce((x ->> 'status_at')::timestamptz, c.status_at),
         deployed_id = case when x ? 'deployed_id' then x ->> 'deployed_id' else c.deployed_id end,
         touched_id = case when x ? 'touched_id' then x ->> 'touched_id' else c.touched_id end,
         latest_id = case when x ? 'latest_id' then x ->> 'latest_id' else c.latest_id end,
         drift = case when x ? 'drift' then nullif(x -> 'drift', 'null') else c.drift end,
         updated_at = svc_now()
    from jsonb_array_elements(targets) x
   where c.org_id = org and c.id = x ->> 'id';
  if exists (select from jsonb_array_elements(deploys) x where x ->> 'status' not in ('planning', 'applying')) then
    perform wake_workflow(org, w.id)
       from (select o.id from workflows o
              where o.org_id = org and o.owner_id = held.owner_id and o.id <> held.id and o.status = 'in-progress' order by o.id) w;
  end if;
exception when unique_violation then
  raise exception 'stale' using errcode = 'SVC01';
end $$;


-- The deploys that wait for builds which have ended: their workflows look again.
create or replace function wake_deploys_of(org text, builds text[]) returns void
  language sql
  as $$
  select wake_workflow(org, w.id)
    from (select distinct d.workflow_id::text as id from install_deploys d
           where d.build_id = any(builds) and d.org_id = org and d.status = 'queued' order by 1) w
$$;

-- The deploys that wait for a workspace, which somebody held: their workflows look again. A look of another workflow may have come
-- after them, so they need not be the newest of their component.
create or replace function wake_deploys_waiting_for(org text, workspace text) returns void
  language sql
  as $$
  select wake_workflow(org, x.id)
    from (select distinct d.workflow_id::text as id
            from terraform_workspaces w
            join install_components c on c.org_id = org and c.install_id = w.owner_id and c.workspace_id = w.id
            join install_deploys d on d.org_id = org and d.target_id = c.id and d.status = 'queued'
           where w.org_id = org and w.id = workspace and w.owner_type = 'installs' order by 1) x
$$;

-- The deploy that somebody asked for, with its workflow.
create or replace function insert_asked_deploy(w workflows, asked jsonb, t timestamptz) returns void
  language sql
  as $$
  insert into install_deploys (id, org_id, install_id, target_id, component_id, component_name, component_type, type, build_id,
                               workflow_id, status, status_at, plan_only, role, created_at, created_by_id)
  select d.id, (w).org_id, (w).owner_id, d.target_id, d.component_id, d.component_name, d.component_type, d.type, d.build_id,
         (w).id, 'pending', t, coalesce(d.plan_only, false), coalesce(d.role, ''), t, (w).created_by_id
    from jsonb_populate_record(null::install_deploys, asked) d
   where d.id is not null
$$;

-- What an install has of each component and of its sandbox, for whoever decides what is to be deployed, and how.
create or replace function deploy_parts_of(org text, install text, config text)
  returns table (app_id text, toggles jsonb, reads_plans int, is_whole boolean, parts jsonb)
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select i.app_id::text,
         coalesce((select n.component_toggles from install_configs n where n.install_id = i.id order by n.id desc limit 1), '{}'),
         (select min(p.reads_plans)::int from runner_processes p
           where p.org_id = org and p.runner_id = i.runner_id and p.status = 'active' and p.draining is null),
         not exists (select from component_configs n
                      where n.org_id = org and n.app_config_id = config
                        and not exists (select from install_components h
                                         where h.install_id = install and coalesce(h.component_id, '') = n.component_id)),
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', c.id, 'component_id', c.component_id, 'name', c.name,
                   'is_of_config', c.component_id is null
                                   or exists (select from component_configs n
                                               where n.org_id = org and n.app_config_id = config and n.component_id = c.component_id), 'labels', coalesce(x.labels, '{}'), 'status', c.status,
                   'has_drift', c.drift is not null,
                   'deployed', (select jsonb_build_object('id', d.id, 'type', d.type, 'build_id', d.build_id, 'artifact', d.artifact,
                                                          'is_whole', c.deployed_id is not null, 'outputs_job_id', d.outputs_job_id, 'values_digest', d.values_digest,
                                                          'config_id', coalesce(b.app_config_id, d.app_config_id))
                                  from install_deploys d
                                  left join component_builds b on b.org_id = org and b.id = d.build_id
                                 where d.org_id = org and d.id = coalesce(c.deployed_id, c.touched_id))) order by c.name, c.id), '[]')
            from install_components c
            left join components x on x.org_id = org and x.id = c.component_id
           where c.org_id = org and c.install_id = i.id)
    from installs i where i.org_id = org and i.id = install
$$;
