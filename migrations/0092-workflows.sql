-- Workflows: what is done to installs, in groups of steps. A workflow is moved by whoever finds it as it was read (version).

create table workflows (
  id                  svc_id not null,
  org_id              svc_id not null references orgs (id),
  type                text not null,
  owner_type          text not null check (owner_type in ('installs', 'apps', 'app_branches')),
  owner_id            svc_id not null,
  status              text not null check (status in ('pending', 'in-progress', 'approval-awaiting', 'failed-pending-retry', 'error',
                                                      'success', 'cancelled')),
  status_description  text not null default '',
  status_at           timestamptz not null,
  role                text not null default '',
  plan_only           boolean not null default false,
  approval_option     text not null check (approval_option in ('prompt', 'approve-all')),
  metadata            jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  params              jsonb not null default '{}', -- what it was asked for, which its steps are made of
  app_config_id       svc_id, -- of which its steps were made; null: not yet
  signal_id           svc_id not null, -- its place in a lane
  queue_id            svc_id not null,
  is_cancelling       boolean not null default false,
  error               jsonb,
  faults              integer not null default 0, -- of ours, in a row
  version             bigint not null default 1,
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  created_by_id       text not null default '',
  primary key (org_id, id),
  foreign key (org_id, queue_id) references queues (org_id, id)
);
create index workflows_by_org on workflows (org_id, id);
create index workflows_by_owner on workflows (owner_id, id);
create unique index workflows_signal on workflows (signal_id);
create index workflows_open on workflows (owner_id) where status not in ('success', 'error', 'cancelled');
create index workflows_age on workflows (finished_at) where finished_at is not null;

-- What of a workflow's order may be secret; sealed.
create table workflow_givens (
  workflow_id  svc_id primary key,
  org_id       svc_id not null,
  key_id       text,
  contents     bytea not null,
  foreign key (org_id, workflow_id) references workflows (org_id, id)
);

create table workflow_runs (
  id               svc_id primary key,
  org_id           svc_id not null,
  workflow_id      svc_id not null,
  type             text not null check (type in ('initial', 'retry', 'skip', 'resume')),
  status           text not null check (status in ('pending', 'in-progress', 'success', 'error', 'cancelled')),
  start_from_idx   integer not null default 0,
  trigger_step_id  svc_id,
  created_at       timestamptz not null,
  started_at       timestamptz,
  finished_at      timestamptz,
  foreign key (org_id, workflow_id) references workflows (org_id, id)
);
create index workflow_runs_of on workflow_runs (workflow_id, id);

create table workflow_groups (
  id                svc_id primary key,
  org_id            svc_id not null,
  workflow_id       svc_id not null,
  name              text not null,
  group_idx         integer not null,
  group_retry_idx   integer not null default 0,
  parallel          boolean not null default false,
  result_directive  text check (result_directive in ('continue', 'stop', 'retry-group', 'skip-group')), -- null: it has not ended
  created_at        timestamptz not null,
  unique (workflow_id, group_idx, group_retry_idx),
  foreign key (org_id, workflow_id) references workflows (org_id, id)
);

create table workflow_steps (
  id                  svc_id primary key,
  org_id              svc_id not null,
  workflow_id         svc_id not null,
  group_id            svc_id not null references workflow_groups (id),
  idx                 integer not null, -- in its workflow; clones keep it
  retry_index         integer not null default 0,
  kind                text not null,
  name                text not null,
  params              jsonb not null default '{}',
  execution_type      text not null check (execution_type in ('system', 'user', 'approval', 'skipped', 'hidden')),
  status              text not null check (status in ('pending', 'in-progress', 'checking-plan', 'approval-awaiting',
                                                      'failed-pending-retry', 'success', 'approved', 'auto-skipped', 'user-skipped',
                                                      'approval-denied', 'approval-expired', 'approval-retry', 'error', 'cancelled',
                                                      'discarded', 'not-attempted')),
  status_description  text not null default '',
  status_at           timestamptz not null,
  result_directive    text check (result_directive in ('continue', 'stop', 'retry', 'retry-group', 'skip-group', 'await-approval')),
  target_type         text not null default '',
  target_id           text not null default '',
  job_id              svc_id,
  job_idx             integer not null default 0, -- how many jobs it has had
  error               jsonb,
  is_retried          boolean not null default false, -- another row goes on in its place
  is_told             boolean not null default false, -- the event of its end is written
  deadline_at         timestamptz, -- the clock of its status; of a pending one: when it may begin
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  unique (group_id, idx, retry_index),
  foreign key (org_id, workflow_id) references workflows (org_id, id)
);
create index workflow_steps_of on workflow_steps (workflow_id);
create index workflow_steps_awaiting on workflow_steps (org_id, id) where status = 'approval-awaiting';
create index workflow_steps_for_runner on workflow_steps (target_id) where status = 'in-progress' and kind = 'healthy';

-- What somebody must answer before a step goes on, and the answer.
create table workflow_approvals (
  id               svc_id primary key,
  org_id           svc_id not null,
  workflow_id      svc_id not null,
  step_id          svc_id not null unique references workflow_steps (id),
  type             text not null,
  plan_digest      text not null,
  key_id           text,
  contents         bytea not null, -- sealed: what is approved, byte for byte
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  response_id      svc_id,
  response_type    text check (response_type in ('approve', 'auto-approve', 'deny', 'deny-skip-current',
                                                 'deny-skip-current-and-dependents', 'retry')),
  note             text not null default '',
  responded_at     timestamptz,
  responded_by_id  text not null default '',
  foreign key (org_id, workflow_id) references workflows (org_id, id),
  check ((response_type is null) = (responded_at is null) and (response_type is null) = (response_id is null))
);
create index workflow_approvals_of on workflow_approvals (workflow_id);

-- Jobs name the step that they are of; a step has each of its jobs once.
alter table runner_jobs
  add column workflow_id svc_id,
  add column workflow_step_id svc_id,
  add column step_job_idx integer;
create unique index runner_jobs_of_step on runner_jobs (workflow_step_id, step_job_idx) where workflow_step_id is not null;
alter table runner_job_live add column workflow_id svc_id;
alter type new_job add attribute workflow_id text;
alter type new_job add attribute workflow_step_id text;
alter type new_job add attribute step_job_idx int;
