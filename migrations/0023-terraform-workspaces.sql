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
  kind           text not null check (kind in ('locked', 'force-unlocked', 'blocked', 'unblocked', 'rolled-back',
                                               'state-deleted')),
  actor_id       text not null,
  reason         text not null default '',
  info           jsonb not null default '{}',
  at             timestamptz not null,
  foreign key (org_id, workspace_id) references terraform_workspaces (org_id, id)
);
create index terraform_workspace_events_by_workspace on terraform_workspace_events (workspace_id, id);

-- What a command came to: a word, and the lock or the block that was in its way.
create type workspace_outcome as (outcome text, holder jsonb, revision int);

create function lock_holder(l terraform_workspace_locks) returns jsonb
  language sql stable
  return l.info || jsonb_build_object('ID', l.lock_id);

-- outcome: locked · held · blocked · ended · not-found
create function lock_workspace(l terraform_workspace_locks, by_hand boolean) returns workspace_outcome
  language plpgsql as $$
declare
  w terraform_workspaces;
  h terraform_workspace_locks;
begin
  select * into w from terraform_workspaces
   where org_id = l.org_id and id = l.workspace_id and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = w.id;
  if found then
    return row(case when h.lock_id = l.lock_id then 'locked' else 'held' end, lock_holder(h), w.revision)::workspace_outcome;
  end if;
  if w.blocked_at is not null then
    return row('blocked', jsonb_build_object('ID', 'blocked', 'Operation', 'blocked', 'Info', w.blocked_reason,
                                             'Who', w.blocked_by_id, 'Created', to_json(w.blocked_at)), w.revision)::workspace_outcome;
  end if;
  if l.runner_job_id is not null
     and not exists (select from runner_job_live j where j.id = l.runner_job_id and j.status = 'in-progress'
                        and (l.execution_id is null or j.execution_id = l.execution_id)) then
    return row('ended', null, w.revision)::workspace_outcome;
  end if;
  l.created_at := svc_now();
  insert into terraform_workspace_locks select l.*;
  if by_hand then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (w.org_id, w.id, 'locked', l.created_by_id, coalesce(l.info ->> 'Info', ''), lock_holder(l), l.created_at);
  end if;
  return row('locked', lock_holder(l), w.revision)::workspace_outcome;
end $$;

-- Without a lock id whatever holds it is taken away. outcome: unlocked · was-unlocked · held · not-found
create function unlock_workspace(org text, workspace text, lock text, actor text, reason text)
  returns workspace_outcome language plpgsql as $$
declare
  h terraform_workspace_locks;
begin
  perform from terraform_workspaces where org_id = org and id = workspace and deleted_at is null for update;
  if not found then return row('not-found', null, null)::workspace_outcome; end if;
  select * into h from terraform_workspace_locks where workspace_id = workspace;
  if not found then return row('was-unlocked', null, null)::workspace_outcome; end if;
  if lock is not null and lock <> h.lock_id then return row('held', lock_holder(h), null)::workspace_outcome; end if;
  delete from terraform_workspace_locks where workspace_id = workspace;
  if lock is null then
    insert into terraform_workspace_events (org_id, workspace_id, kind, actor_id, reason, info, at)
    values (org, workspace, 'force-unlocked', actor, reason, lock_holder(h), svc_now());
  end if;
  return row('unlocked', lock_holder(h), null)::workspace_outcome;
end $$;
