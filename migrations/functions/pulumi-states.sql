-- States of Pulumi: the broker itself holds a workspace for the job that changes it, from the job's claim until it has ended and stopped.

-- The job that a workspace is held for: of those that change it by Pulumi, the first that was claimed and runs, or is being
-- stopped. Jobs that only plan hold nothing.
create or replace function pulumi_holder(org text, workspace text) returns jsonb
  language sql stable as $$
    select jsonb_build_object('job', j.id, 'type', j.type, 'operation', j.operation)
      from runner_job_plan_names n
      join runner_jobs j on j.org_id = n.org_id and j.id = n.runner_job_id
      join runner_job_executions e on e.org_id = j.org_id and e.runner_job_id = j.id
     where n.org_id = org and n.name = workspace
       and j.type in ('pulumi-deploy', 'sandbox-pulumi') and j.operation in ('apply-plan', 'exec')
       and (exists (select from runner_job_live l
                     where l.id = j.id and l.status = 'in-progress' and l.execution_id = e.id)
            or exists (select from stopping_executions s where s.execution_id = e.id))
     order by e.created_at, e.id limit 1
$$;

-- The same as a lock, for lock_workspace to refuse another job's.
create or replace function pulumi_lock_holder(holder jsonb) returns jsonb
  language sql stable
  return jsonb_build_object('ID', 'job ' || (holder ->> 'job'), 'Operation', holder ->> 'type' || ' ' || (holder ->> 'operation'),
                            'Who', holder ->> 'job', 'Info', '', 'Version', '', 'Path', '', 'Created', to_json(svc_now()));

-- Writes one new revision of a Pulumi state: of the job that the workspace is held for, if any, under the lock that this job took, if any.
-- Where `expected` is told, only on that revision (0: none) and on those that the same job has written since.
-- outcome: those of keep_terraform_state · job-holds · revision-differs
create or replace function keep_pulumi_state(s terraform_workspace_states, only_part bytea, prints jsonb, expected integer)
  returns workspace_outcome language plpgsql as $$
declare
  w terraform_workspaces;
  c terraform_workspace_states;
  holder jsonb;
  lock text;
begin
  select * into w from terraform_workspaces x
   where x.org_id = s.org_id and x.id = s.workspace_id and x.deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into c from terraform_workspace_states x where x.org_id = w.org_id and x.id = w.state_id;
  if c.serial is not null or c.lineage is not null then
    return row('terraform-state', null, c.revision)::workspace_outcome;
  end if;
  holder := pulumi_holder(s.org_id, s.workspace_id);
  if holder is not null and s.runner_job_id is distinct from holder ->> 'job' and w.blocked_at is null then
    return row('job-holds', holder, w.revision)::workspace_outcome;
  end if;
  if expected <> coalesce(c.revision, 0)
     and encode(c.fingerprint, 'hex') is distinct from prints ->> coalesce(c.key_id, '') -- else it is there already
     and (c.id is null or exists (select from terraform_workspace_states x
                                   where x.workspace_id = w.id and x.revision > expected
                                     and x.runner_job_id is distinct from s.runner_job_id)) then
    return row('revision-differs', null, coalesce(c.revision, 0))::workspace_outcome;
  end if;
  select k.lock_id into lock from terraform_workspace_locks k
   where k.workspace_id = w.id and k.runner_job_id = s.runner_job_id;
  return keep_terraform_state(s, only_part, prints, lock, false, '', false);
end $$;
