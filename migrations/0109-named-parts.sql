-- What apps have by name besides actions, whatever configs have it; labels of actions; actions that were deleted.

create table components (
  id             svc_id not null,
  org_id         svc_id not null,
  app_id         svc_id not null,
  name           text not null,
  created_at     timestamptz not null,
  created_by_id  text not null default '',
  deleted_at     timestamptz,
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create unique index components_name on components (app_id, replace(name, '-', '_')) where deleted_at is null;

create table runbooks (
  id             svc_id not null,
  org_id         svc_id not null,
  app_id         svc_id not null,
  name           text not null,
  created_at     timestamptz not null,
  created_by_id  text not null default '',
  deleted_at     timestamptz,
  primary key (org_id, id),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create unique index runbooks_name on runbooks (app_id, replace(name, '-', '_')) where deleted_at is null;

alter table actions add column created_by_id text not null default '';
alter table actions add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'); -- all of them
alter table actions add column config_labels jsonb not null default '{}' check (jsonb_typeof(config_labels) = 'object'); -- locked: the active config's
alter table actions add column deleted_at timestamptz;
drop index actions_name;
create unique index actions_name on actions (app_id, replace(name, '-', '_')) where deleted_at is null;

drop function if exists delete_app(text, text); -- now delete_idle_app
