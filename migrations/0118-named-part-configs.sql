-- Which config of an app has or had which component and runbook; labels of components and runbooks; when what has a name was changed.

lock table app_configs in share row exclusive mode; -- first, as syncs do: the references below need it
alter table actions add column updated_at timestamptz; -- null: not since it was made
alter table components add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'); -- all of them
alter table components add column config_labels jsonb not null default '{}' check (jsonb_typeof(config_labels) = 'object'); -- locked: the active config's
alter table components add column updated_at timestamptz;
alter table runbooks add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object');
alter table runbooks add column config_labels jsonb not null default '{}' check (jsonb_typeof(config_labels) = 'object');
alter table runbooks add column updated_at timestamptz;

create table component_configs (
  id             svc_id not null,
  org_id         svc_id not null,
  component_id   svc_id not null,
  app_config_id  svc_id not null,
  name           text not null, -- that it has there
  type           text not null, -- as its file says it
  created_at     timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, component_id) references components (org_id, id),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
create unique index component_configs_of on component_configs (app_config_id, component_id);
create index component_configs_by_component on component_configs (component_id, id);

create table runbook_configs (
  id             svc_id not null,
  org_id         svc_id not null,
  runbook_id     svc_id not null,
  app_config_id  svc_id not null,
  name           text not null,
  created_at     timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, runbook_id) references runbooks (org_id, id),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
create unique index runbook_configs_of on runbook_configs (app_config_id, runbook_id);
create index runbook_configs_by_runbook on runbook_configs (runbook_id, id);
