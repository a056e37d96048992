-- For how long workflows are kept, and what they keep.

-- Whether a job that has ended is needed still: its workflow is open, or the state of its install has its outputs.
create or replace function is_kept_job(org text, job text) returns boolean
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select exists (select from runner_jobs j join workflows w on w.org_id = j.org_id and w.id = j.workflow_id
                  where j.org_id = org and j.id = job and w.finished_at is null)
         or exists (select from install_action_runs r where r.runner_job_id = job and is_kept_run(r))
         or exists (select from install_deploys d where d.outputs_job_id = job and is_kept_deploy(d.org_id, d.target_id, d.id))
$$;

-- Whether a deploy's result stands, in an install that is there; or, of an image that clusters pull, stood within the last 30 days (registry.sql).
create or replace function is_kept_deploy(org text, target text, deploy text) returns boolean
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select exists (select from install_components c join installs i on i.org_id = c.org_id and i.id = c.install_id and i.deleted_at is null
                  where c.org_id = org and c.id = target
                    and (deploy in (c.deployed_id, c.touched_id)
                         or exists (select from install_deploys d
                                     where d.org_id = org and d.id = deploy and d.artifact ? 'pull_secret' and d.applied_at is not null
                                       and not exists (select from install_deploys n
                                                        where n.target_id = target and n.applied_at > d.applied_at
                                                          and n.applied_at <= svc_now() - interval '30 days'))))
$$;

-- Whether a run is the newest of its action that finished, in an install that is there.
create or replace function is_kept_run(r install_action_runs) returns boolean
  language sql stable
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select (r).status = 'finished' and (r).action_id is not null
         and exists (select from installs i where i.org_id = (r).org_id and i.id = (r).install_id and i.deleted_at is null)
         and not exists (select from install_action_runs n
                          where n.install_id = (r).install_id and n.action_id = (r).action_id and n.status = 'finished' and n.id > (r).id)
$$;

-- Deletes finished workflows with all that belongs to them, but for those whose runs or deploys are kept, and children of open ones; answers how many.
create or replace function delete_workflows(old text[]) returns int
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  ids text[] := array(select w.id::text from workflows w
                       where w.id = any(old) and w.finished_at is not null
                         and not exists (select from install_action_runs r where r.workflow_id = w.id and is_kept_run(r))
                         and not exists (select from install_deploys d where d.workflow_id = w.id and is_kept_deploy(d.org_id, d.target_id, d.id))
                         and not exists (select from workflows p
                                          where p.org_id = w.org_id and p.id = w.parent_id and p.finished_at is null)
                       order by w.id for update);
begin
  delete from shown_plans p where p.workflow_id = any(ids);
  delete from workflow_approvals a where a.workflow_id = any(ids);
  delete from workflow_steps s where s.workflow_id = any(ids);
  delete from workflow_groups g where g.workflow_id = any(ids);
  delete from workflow_runs r where r.workflow_id = any(ids);
  delete from workflow_givens g where g.workflow_id = any(ids);
  delete from install_action_runs r where r.workflow_id = any(ids);
  delete from install_deploys d where d.workflow_id = any(ids);
  delete from workflows w where w.id = any(ids);
  return cardinality(ids);
end $$;
