-- An order to many processes, carried out a few at a time.
create table runner_rollouts (
  id svc_id primary key,
  org_id svc_id not null references orgs (id),
  runner_group_id svc_id, -- null: all groups of the org
  type text not null check (type in ('graceful', 'force', 'restart')),
  status text not null default 'requested'
    check (status in ('requested', 'in-progress', 'completed', 'failed', 'cancelled')),
  status_description text not null default '',
  reason text not null default '' check (length(reason) <= 1000),
  max_at_once integer not null check (max_at_once between 1 and 1000),
  include_last boolean not null default false, -- also the last live process of a runner
  cut_after interval not null,
  cancelled_by_id text, -- who called it off; what was ordered before still ends
  deadline_at timestamptz, -- when it is looked at next; null once it is over
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  created_by_id text not null default '',
  unique (org_id, id),
  foreign key (org_id, runner_group_id) references runner_groups (org_id, id) on delete cascade,
  check ((deadline_at is null) = (status in ('completed', 'failed', 'cancelled')))
);
create index runner_rollouts_due on runner_rollouts (deadline_at) where deadline_at is not null;
create index runner_rollouts_of_org on runner_rollouts (org_id, created_at, id);
create index runner_rollouts_of_group on runner_rollouts (runner_group_id) where runner_group_id is not null;

-- Its processes, in the order in which they are asked. A process may be long gone.
create table runner_rollout_targets (
  rollout_id svc_id not null,
  position integer not null,
  org_id svc_id not null,
  runner_id svc_id not null,
  process_id svc_id not null,
  shutdown_id svc_id not null, -- the record of the order, once it is given
  status text not null default 'waiting' check (status in ('waiting', 'ordered', 'done', 'skipped', 'failed')),
  status_description text not null default '',
  ordered_at timestamptz,
  ended_at timestamptz,
  primary key (rollout_id, position),
  foreign key (org_id, rollout_id) references runner_rollouts (org_id, id) on delete cascade
);
create index runner_rollout_targets_open on runner_rollout_targets (rollout_id, status, position)
  where status in ('waiting', 'ordered');

alter table runner_process_shutdowns add column reason text not null default '' check (length(reason) <= 1000);
