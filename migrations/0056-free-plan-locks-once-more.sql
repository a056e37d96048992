-- Frees what executions that only plan hold, which are over and, as far as anybody can know, gone; each is written down. An
-- apply's lock stays, though it took the place of the plan's just now and its execution is over, too.
create or replace function free_plan_locks(execution_ids text[], t timestamptz) returns void
  language plpgsql as $$
declare
  lock_ids text[];
begin
  select array_agg(k.id::text) into lock_ids
    from runner_job_executions e
    join terraform_workspace_locks k on k.org_id = e.org_id and k.runner_job_id = e.runner_job_id
                                    and (k.execution_id is null or k.execution_id = e.id)
    join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id
                      and (j.operation in ('create-apply-plan', 'create-teardown-plan') or j.type = 'sandbox-terraform-plan')
   where e.id = any(execution_ids);
  if lock_ids is null then
    return;
  end if;
  perform 1 from terraform_workspaces w join terraform_workspace_locks k on k.org_id = w.org_id and k.workspace_id = w.id
   where k.id = any(lock_ids) order by w.id for update of w; -- in one order, so that no two wait for each other
  with freed as (
    delete from terraform_workspace_locks k where k.id = any(lock_ids) returning k as lock
  )
  insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
  select (f.lock).org_id, (f.lock).workspace_id, 'unlocked', 'broker',
         format('%s only planned, is over and left the lock', (f.lock).runner_job_id), lock_holder(f.lock), t
    from freed f;
end $$;
