-- Terraform workspaces: who holds them, every revision of their state, and what was done to them by hand.

create table terraform_workspaces (
  id                svc_id not null,
  org_id            svc_id not null references orgs (id),
  owner_id          text not null default '',
  owner_type        text not null default '',
  revision          integer not null default 0, -- the last one that was written
  state_id          svc_id,                     -- the current one; null: there is none
  blocked_at        timestamptz,
  blocked_by_id     text,
  blocked_reason    text,
  created_at        timestamptz not null default svc_now(),
  updated_at        timestamptz not null default svc_now(),
  created_by_id     text not null default '',
  deleted_at        timestamptz, -- what belongs to it is taken away in the background
  blocked_kind      text, -- a word; null: a person's
  blocked_job_id    svc_id,
  primary key (org_id, id),
  check ((blocked_at is null) = (blocked_reason is null))
);
create index terraform_workspaces_by_owner on terraform_workspaces (org_id, owner_id, id) where deleted_at is null;
create index terraform_workspaces_deleted on terraform_workspaces (deleted_at) where deleted_at is not null;

-- At most one a workspace. Nothing but an unlock ends it: who was ended by us may still be writing.
create table terraform_workspace_locks (
  workspace_id   svc_id primary key,
  org_id         svc_id not null,
  id             svc_id not null,
  lock_id        text not null,
  info           jsonb not null, -- what its holder said of itself
  runner_job_id  svc_id,
  execution_id   svc_id,
  created_at     timestamptz not null,
  created_by_id  text not null default '',
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create index terraform_workspace_locks_by_job on terraform_workspace_locks (runner_job_id);

-- A revision is written once. Its bytes are sealed in parts with a key of its own, and that key with one of the
-- broker's: to change the broker's key, 81 bytes are sealed anew.
create table terraform_workspace_states (
  id                 svc_id not null,
  org_id             svc_id not null,
  workspace_id       svc_id not null,
  revision           integer not null check (revision > 0),
  serial             bigint,
  lineage            text,
  terraform_version  text not null default '',
  size_bytes         bigint not null,
  parts              integer not null,
  key_id             text,
  sealed_key         bytea not null,
  fingerprint        bytea not null, -- tells equal bytes
  rolled_back_from   integer,
  runner_job_id      svc_id,
  created_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  unique (workspace_id, revision),
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create unique index terraform_workspace_states_by_id on terraform_workspace_states (id);

-- What `terraform show -json` said last.
create table terraform_workspace_state_jsons (
  workspace_id   svc_id primary key,
  org_id         svc_id not null,
  id             svc_id not null,
  size_bytes     bigint not null,
  parts          integer not null,
  key_id         text,
  sealed_key     bytea not null,
  fingerprint    bytea not null,
  runner_job_id  svc_id,
  created_at     timestamptz not null,
  created_by_id  text not null default '',
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);

-- The sealed bytes of a state or a state's JSON.
create table terraform_state_parts (
  object_id  svc_id not null,
  n          integer not null,
  org_id     svc_id not null,
  body       bytea not null,
  primary key (object_id, n)
);
alter table terraform_state_parts alter column body set storage external;

-- Parts that came before what they are parts of; what is still here after a while was never finished.
create table terraform_state_uploads (
  object_id   svc_id primary key,
  org_id      svc_id not null,
  created_at  timestamptz not null default svc_now()
);
create index terraform_state_uploads_age on terraform_state_uploads (created_at);

-- What people did.
create table terraform_workspace_events (
  id             bigint generated always as identity primary key,
  org_id         svc_id not null,
  workspace_id   svc_id not null,
  kind           text not null check (kind in (
    'locked', 'unlocked', 'force-unlocked', 'blocked', 'unblocked', 'rolled-back', 'state-deleted', 'deleted', 'restored',
    'state-rescued', 'rescued-state-pushed', 'rescued-state-discarded')),
  actor_id       text not null,
  reason         text not null default '',
  info           jsonb not null default '{}',
  at             timestamptz not null,
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create index terraform_workspace_events_by_workspace on terraform_workspace_events (workspace_id, id);

-- States that terraform could not write: they wait, sealed, until somebody makes one the current state or discards it.
-- As a revision is kept, under the id that it has as one when it becomes one.
create table terraform_rescued_states (
  id                 svc_id not null,
  org_id             svc_id not null,
  workspace_id       svc_id not null,
  serial             bigint not null,
  lineage            text,
  terraform_version  text not null default '',
  size_bytes         bigint not null,
  parts              integer not null,
  key_id             text,
  sealed_key         bytea not null,
  fingerprint        bytea not null,
  runner_job_id      svc_id,
  created_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id),
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create unique index terraform_rescued_states_by_id on terraform_rescued_states (id);
create index terraform_rescued_states_by_workspace on terraform_rescued_states (workspace_id, id);
