-- What an install has of its own: its configs, the newest of which is in force, templates of labels, and the account that is expected.

create table install_configs (
  id                 svc_id not null,
  org_id             svc_id not null,
  install_id         svc_id not null,
  approval_option    text check (approval_option in ('prompt', 'approve-all')), -- null: as the app says
  component_toggles  jsonb not null default '{}' check (jsonb_typeof(component_toggles) = 'object'),
  labels             jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
  telemetry_enabled  boolean,
  version            bigint not null default 1,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, install_id) references installs (org_id, id)
);
create index install_configs_of on install_configs (install_id, id);

insert into install_configs (id, org_id, install_id, approval_option, created_at, updated_at, created_by_id)
select 'inc_' || substr(i.id, 5), i.org_id, i.id, i.approval_option, i.created_at, i.created_at, i.created_by_id from installs i;

alter table installs
  add column label_templates jsonb not null default '{}' check (jsonb_typeof(label_templates) = 'object'),
  add column expected_account text not null default ''; -- the id of the account, subscription or project
