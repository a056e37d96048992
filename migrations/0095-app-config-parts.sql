-- Configs of apps that come in many calls: their parts, until the whole is checked.

alter table app_configs add column plan_only boolean not null default false; -- it is never in force
alter table app_configs add column parts_revision integer not null default 0; -- goes up with each part
alter table app_configs add column errors jsonb; -- what was wrong with the whole
create index app_configs_open on app_configs (created_at) where status in ('pending', 'syncing');

create table app_config_parts (
  org_id         svc_id not null,
  app_config_id  svc_id not null,
  file           text not null, -- as in the config's directory
  value          text not null, -- its contents as JSON
  primary key (org_id, app_config_id, file),
  foreign key (org_id, app_config_id) references app_configs (org_id, id)
);
