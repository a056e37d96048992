-- Apps, and the versions of their configs.

create table apps (
  id                svc_id not null,
  org_id            svc_id not null references orgs (id),
  name              text not null check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  display_name      text not null default '',
  description       text not null default '',
  config_repo       text not null default '',
  config_directory  text not null default '',
  -- What the active config says of the app itself.
  default_labels    jsonb not null default '{}',
  label_colors      jsonb not null default '{}',
  links             jsonb not null default '{}',
  runner_type       text,
  active_config_id  svc_id,
  config_count      integer not null default 0, -- the last version of its configs
  version           bigint not null default 1,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  created_by_id     text not null default '',
  deleted_at        timestamptz,
  primary key (org_id, id)
);
-- In names `-` and `_` are equal.
create unique index apps_name on apps (org_id, replace(name, '-', '_')) where deleted_at is null;

create table app_configs (
  id                  svc_id not null,
  org_id              svc_id not null,
  app_id              svc_id not null,
  version             integer not null,
  status              text not null check (status in ('active', 'pending', 'syncing', 'error', 'outdated')),
  status_description  text not null default '',
  status_at           timestamptz not null,
  previous_id         svc_id, -- the config that was active before it
  checksum            text not null,
  cli_version         text not null default '',
  document            text not null, -- the canonical JSON (shared/app-config/), of which all else of a config is read
  created_at          timestamptz not null,
  created_by_id       text not null default '',
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create unique index app_configs_version on app_configs (app_id, version);
create unique index app_configs_active on app_configs (app_id) where status = 'active';
