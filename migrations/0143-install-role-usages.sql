-- As whom each job of an install runs: written with the job, and gone with it.

create table install_role_usages (
  id               svc_id not null,
  org_id           svc_id not null,
  install_id       svc_id not null,
  runner_job_id    svc_id not null,
  workflow_id      svc_id not null,
  workflow_step_id svc_id not null,
  role_name        text not null default '', -- empty: the runner itself
  role_source      text not null,
  trace            jsonb not null check (jsonb_typeof(trace) = 'array'), -- the roles that were looked at, the first that count more
  created_at       timestamptz not null,
  created_by_id    text not null default '',
  primary key (org_id, runner_job_id),
  foreign key (org_id, runner_job_id) references runner_jobs (org_id, id) on delete cascade
);
create index install_role_usages_listed on install_role_usages (install_id, id);
