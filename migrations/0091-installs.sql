-- Installs of apps: what each was given, what is known of it, and the runs of its actions.

create table installs (
  id                  svc_id not null,
  org_id              svc_id not null references orgs (id),
  app_id              svc_id not null,
  name                text not null check (length(name) between 1 and 63),
  install_number      integer not null,
  cloud_platform      text not null check (cloud_platform in ('aws', 'azure', 'gcp', 'unknown')),
  cloud_account       jsonb not null default '{}' check (jsonb_typeof(cloud_account) = 'object'),
  labels              jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
  app_default_labels  jsonb not null default '{}', -- the app's as they are on this install: their keys are locked
  metadata            jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  approval_option     text not null default 'prompt' check (approval_option in ('prompt', 'approve-all')),
  sandbox_mode        boolean,
  lifecycle_phase     text not null default 'created'
                      check (lifecycle_phase in ('created', 'awaiting-stack', 'provisioning', 'active', 'updating', 'degraded',
                                                 'deprovisioning', 'deprovisioned', 'error')),
  phase_at            timestamptz not null,
  phase_workflow_id   svc_id,
  applied_config_id   svc_id, -- the config that the last change brought; null: none yet
  runner_group_id     svc_id not null,
  runner_id           svc_id not null,
  has_own_runner      boolean not null default true, -- made with it, and deprovisioned with it
  inputs_version      integer not null default 1,
  state_version       integer not null default 0,
  version             bigint not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  created_by_id       text not null default '',
  deleted_at          timestamptz,
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create unique index installs_number on installs (app_id, install_number);
create unique index installs_name on installs (app_id, name) where deleted_at is null;
create unique index installs_runner on installs (runner_id) where deleted_at is null;
create unique index installs_runner_group on installs (runner_group_id) where deleted_at is null;
create index installs_by_org on installs (org_id, id) where deleted_at is null;

alter table apps add column install_count integer not null default 0; -- the last number of its installs

-- The values that an install was given, sealed as one; each change is another version.
create table install_inputs (
  id             svc_id primary key,
  org_id         svc_id not null,
  install_id     svc_id not null,
  version        integer not null,
  app_config_id  svc_id not null, -- whose inputs they answer
  key_id         text,
  contents       bytea not null,
  created_at     timestamptz not null,
  created_by_id  text not null default '',
  foreign key (org_id, install_id) references installs (org_id, id)
);
create unique index install_inputs_version on install_inputs (install_id, version);

-- What is known of an install, as workflows recorded it; sealed.
create table install_states (
  id                 svc_id primary key,
  org_id             svc_id not null,
  install_id         svc_id not null,
  version            integer not null,
  key_id             text,
  contents           bytea not null,
  checksum           text not null,
  triggered_by_id    text not null default '',
  triggered_by_type  text not null default '',
  created_at         timestamptz not null,
  foreign key (org_id, install_id) references installs (org_id, id)
);
create unique index install_states_version on install_states (install_id, version);

-- The actions of an app, by name, whatever configs have them; and what each config says of one.
create table actions (
  id          svc_id not null,
  org_id      svc_id not null,
  app_id      svc_id not null,
  name        text not null,
  created_at  timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create unique index actions_name on actions (app_id, replace(name, '-', '_'));

create table action_configs (
  id             svc_id not null,
  org_id         svc_id not null,
  action_id      svc_id not null,
  app_config_id  svc_id not null,
  created_at     timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, action_id) references actions (org_id, id),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
create unique index action_configs_of on action_configs (app_config_id, action_id);

-- A run of an action in an install.
create table install_action_runs (
  id                  svc_id not null,
  org_id              svc_id not null,
  install_id          svc_id not null,
  action_id           svc_id, -- null: an ad hoc run
  action_config_id    svc_id,
  name                text not null,
  workflow_id         svc_id not null,
  workflow_step_id    svc_id, -- the last step that ran it
  runner_job_id       svc_id,
  trigger_type        text not null,
  triggered_by_id     text not null default '',
  status              text not null check (status in ('queued', 'in-progress', 'finished', 'error', 'timed-out', 'cancelled', 'retried')),
  status_description  text not null default '',
  status_at           timestamptz not null,
  role                text not null default '',
  timeout             bigint not null, -- nanoseconds
  composite_error     jsonb,
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  created_by_id       text not null default '',
  primary key (org_id, id),
  foreign key (org_id, install_id) references installs (org_id, id)
);
create index install_action_runs_by_install on install_action_runs (install_id, id);
create index install_action_runs_by_action on install_action_runs (install_id, action_id, id);
create index install_action_runs_by_workflow on install_action_runs (workflow_id);

-- An install's lanes, the queues in which its workflows wait for each other, do not count as queues of somebody.
alter table queues add column install_id svc_id;
