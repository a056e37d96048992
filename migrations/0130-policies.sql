-- What policies say of builds and, later, of plans; and what is still to be asked.

alter table component_builds
  drop constraint component_builds_status_check,
  add constraint component_builds_status_check
    check (status in ('planning', 'building', 'active', 'error', 'cancelled', 'policy_failed'));

-- One row for each that a workflow waits for; it goes with the report.
create table policy_evaluations (
  org_id        svc_id not null,
  owner_type    text not null check (owner_type in ('component_builds', 'install_deploys', 'install_sandbox_runs')),
  owner_id      svc_id not null,
  runner_job_id svc_id not null, -- whose result is judged
  workflow_id   svc_id not null,
  created_at    timestamptz not null,
  tries         int not null default 0, -- how often a broker began it
  taken_until   timestamptz, -- a broker evaluates it until then
  primary key (org_id, owner_id, runner_job_id)
);
create index policy_evaluations_by_workflow on policy_evaluations (workflow_id);

create table policy_reports (
  id                 svc_id not null,
  org_id             svc_id not null,
  owner_type         text not null check (owner_type in ('component_builds', 'install_deploys', 'install_sandbox_runs')),
  owner_id           svc_id not null,
  app_id             svc_id not null,
  component_id       svc_id, -- null: of a sandbox
  component_name     text not null default '',
  install_id         svc_id, -- null: of a build
  runner_job_id      svc_id not null,
  status             text not null check (status in ('pass', 'warn', 'deny', 'error')),
  status_description text not null default '',
  inputs             jsonb not null check (jsonb_typeof(inputs) = 'array'),
  policies           jsonb not null check (jsonb_typeof(policies) = 'array'),
  policy_ids         text[] not null,
  violations         jsonb not null check (jsonb_typeof(violations) = 'array'),
  deny_count         int not null,
  warn_count         int not null,
  pass_count         int not null,
  evaluated_at       timestamptz not null,
  created_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create index policy_reports_of on policy_reports (owner_id, id);
create index policy_reports_by_app on policy_reports (app_id, id);
create index policy_reports_by_install on policy_reports (install_id, id) where install_id is not null;
create index policy_reports_old on policy_reports (evaluated_at);
create index policy_reports_by_time on policy_reports (app_id, evaluated_at);
