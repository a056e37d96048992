-- What is deployed of an app in an install: of each component and of the sandbox one row, and a row for each time that it is planned,
-- applied or torn down.

create table install_components (
  id                 svc_id not null,
  org_id             svc_id not null,
  install_id         svc_id not null,
  component_id       svc_id, -- null: the sandbox
  name               text not null, -- the component's; empty of the sandbox
  workspace_id       svc_id not null, -- where terraform or pulumi keeps its state
  chart_id           svc_id not null, -- where helm keeps its releases
  status             text not null default '', -- that of its newest deploy that was to change something; empty: there was none
  status_description text not null default '',
  status_at          timestamptz not null,
  deployed_id        svc_id, -- the deploy whose result stands; null: nothing of it is there
  touched_id         svc_id, -- the deploy whose apply began last, since nothing was there: something of it may be; null: nothing is
  latest_id          svc_id, -- the newest deploy
  drift              jsonb check (jsonb_typeof(drift) = 'object'), -- what the last look found that differs; null: nothing
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, install_id) references installs (org_id, id),
  foreign key (org_id, component_id) references components (org_id, id)
);
create unique index install_components_of on install_components (install_id, coalesce(component_id, ''));
create index install_components_listed on install_components (org_id, install_id, id);
create index install_components_by_component on install_components (component_id) where component_id is not null;
create index install_components_drifted on install_components (org_id, install_id) where drift is not null;

create table install_deploys (
  id                 svc_id not null,
  org_id             svc_id not null,
  install_id         svc_id not null,
  target_id          svc_id not null, -- the row of install_components
  component_id       svc_id, -- null: a run of the sandbox
  component_name     text not null default '',
  component_type     text not null, -- of a sandbox terraform or pulumi
  type               text not null check (type in ('apply', 'teardown', 'sync-image', 'recover', 'provision', 'reprovision', 'deprovision')),
  app_config_id      svc_id, -- of whose part it is
  build_id           svc_id,
  artifact           jsonb not null default '{}' check (jsonb_typeof(artifact) = 'object'), -- what of the build is deployed: registry, repository, tag, digest
  workflow_id        svc_id not null,
  workflow_step_id   svc_id,
  plan_job_id        svc_id,
  apply_job_id       svc_id,
  outputs_job_id     svc_id, -- whose outputs are the target's while this is what is deployed
  status             text not null
                     check (status in ('pending', 'queued', 'planning', 'approval-awaiting', 'applying', 'active', 'inactive', 'noop', 'auto-skipped',
                                       'no-drift', 'drifted', 'approval-denied', 'discarded', 'error', 'cancelled')),
  status_description text not null default '',
  status_at          timestamptz not null,
  composite_error    jsonb,
  plan_only          boolean not null default false,
  role               text not null default '',
  changes            jsonb not null default '{}' check (jsonb_typeof(changes) = 'object'), -- counts of what the plan changes
  values_digest      text not null default '', -- keyed, of what was rendered
  revision           integer, -- of the workspace when it was planned
  planned_at         timestamptz,
  applied_at         timestamptz,
  created_at         timestamptz not null,
  started_at         timestamptz,
  finished_at        timestamptz,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, install_id) references installs (org_id, id),
  foreign key (org_id, target_id) references install_components (org_id, id)
);
create index install_deploys_listed on install_deploys (org_id, install_id, id);
create index install_deploys_by_target on install_deploys (target_id, id);
create index install_deploys_by_workflow on install_deploys (workflow_id);
create index install_deploys_by_build on install_deploys (build_id) where build_id is not null;
create index install_deploys_by_outputs on install_deploys (outputs_job_id) where outputs_job_id is not null;
-- One job of a workspace at a time, of whatever workflow.
create unique index install_deploys_working on install_deploys (target_id) where status in ('planning', 'applying');
