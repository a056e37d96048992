-- Plans name workspaces in more places than brokers of the version before kept beside them: of open jobs that work on
-- state, the plans themselves are asked again.

with old as (
  select p.runner_job_id, p.org_id, p.names
    from runner_job_live l
    join runner_jobs j on j.org_id = l.org_id and j.id = l.id
    join runner_job_plans p on p.runner_job_id = l.id
   where p.names is not null
     and j.type in ('terraform-deploy', 'pulumi-deploy', 'sandbox-terraform', 'sandbox-terraform-plan', 'sandbox-pulumi')
), gone as (
  delete from runner_job_plan_names n using old o, unnest(o.names) named
   where n.org_id = o.org_id and n.name = named and n.runner_job_id = o.runner_job_id
)
update runner_job_plans p set names = null from old o where p.runner_job_id = o.runner_job_id;
