-- Builds that are not needed: first marked, then deleted with what they have in the registry.

alter table component_builds
  drop constraint component_builds_status_check,
  add constraint component_builds_status_check
    check (status in ('planning', 'building', 'active', 'error', 'cancelled', 'policy_failed', 'deleting')),
  add column expires_at timestamptz; -- nothing needs it: it is deleted then, unless something comes to need it. Null: it is kept
create index component_builds_expiring on component_builds (app_id, id) where expires_at is not null;

-- What builds that are deleted have in the registry, one row each; it stays for a while when that is gone.
create table artifact_deletions (
  org_id       svc_id not null,
  build_id     svc_id not null,
  app_id       svc_id not null,
  component_id svc_id, -- null: of the sandbox
  repository   text not null, -- with the registry's host
  tag          text not null,
  digest       text, -- null: the tag tells it
  size         bigint not null default 0,
  tries        int not null default 0,
  due_at       timestamptz not null,
  taken_until  timestamptz, -- a broker deletes it until then
  begun_at     timestamptz, -- it may be deleted at any moment
  acted_at     timestamptz, -- when it may have been deleted last
  fault        text not null default '', -- why it was not yet
  outcome      text check (outcome in ('deleted', 'gone', 'kept', 'left')),
  created_at   timestamptz not null,
  ended_at     timestamptz,
  primary key (org_id, build_id),
  check ((outcome is null) = (ended_at is null)),
  foreign key (org_id, app_id) references apps (org_id, id)
);
create index artifact_deletions_due on artifact_deletions (org_id, due_at) where ended_at is null;
create index artifact_deletions_by_app on artifact_deletions (app_id);
create index artifact_deletions_ended on artifact_deletions (ended_at) where ended_at is not null;

-- Registries that do not delete what they are asked to.
create table registry_refusals (
  server     text primary key,
  reason     text not null check (reason in ('unsupported', 'refused')),
  detail     text not null,
  refused_at timestamptz not null
);

-- When a broker that can evaluate policies was there last: those that cannot leave them to it.
create table policy_engines (
  is_one  boolean primary key default true check (is_one),
  seen_at timestamptz not null
);
