-- Builds of components, and the lane of each app in which they wait.

alter table queues add column app_id svc_id; -- whose lane of builds it is; null: of no app

create table component_builds (
  id                  svc_id not null,
  org_id              svc_id not null,
  app_id              svc_id not null,
  component_id        svc_id not null,
  component_config_id svc_id not null,
  app_config_id       svc_id not null,
  component_name      text not null, -- that the config has
  component_type      text not null,
  workflow_id         svc_id not null,
  workflow_step_id    svc_id,
  runner_job_id       svc_id,
  status              text not null check (status in ('planning', 'building', 'active', 'error', 'cancelled')),
  status_description  text not null default '',
  status_at           timestamptz not null,
  composite_error     jsonb,
  git_ref             text not null default '', -- that was asked for
  checksum            text not null, -- of what the config says of the component
  artifact            jsonb not null default '{}' check (jsonb_typeof(artifact) = 'object'), -- what its job told
  no_op               boolean not null default false, -- the artifact is that of an earlier build
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  created_by_id       text not null default '',
  primary key (org_id, id),
  foreign key (org_id, component_id) references components (org_id, id),
  foreign key (org_id, component_config_id) references component_configs (org_id, id)
);
create index component_builds_of on component_builds (component_id, id);
create index component_builds_by_app on component_builds (app_id, id);
create index component_builds_by_workflow on component_builds (workflow_id);
create index component_builds_active on component_builds (component_id, id) where status = 'active';
create index component_builds_open on component_builds (org_id, id) where status in ('planning', 'building');

insert into queues (id, org_id, name, owner_id, owner_type, idle_timeout, app_id, created_by_id)
select made_id_at('que', svc_now()), a.org_id, 'builds', a.id, 'apps', 0, a.id, a.created_by_id
  from apps a where a.deleted_at is null
    on conflict do nothing;
insert into queue_counters (queue_id, org_id, max_depth, max_in_flight, last_used_at)
select q.id, q.org_id, 1000, 4, svc_now() from queues q where q.app_id is not null;
