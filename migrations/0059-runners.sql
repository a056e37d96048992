-- Runner groups, their settings, runners, processes and what processes say of themselves.

create table runner_groups (
  id             svc_id primary key,
  org_id         svc_id not null references orgs (id),
  name           text not null default '',
  owner_id       text not null,
  owner_type     text not null,
  type           text not null check (type in ('install', 'org')),
  platform       text not null check (platform in ('unknown', 'aws-ecs', 'aws-eks', 'azure-aks', 'azure-acs',
                                                   'gcp-gke', 'local', 'aws', 'azure', 'gcp')),
  paused_at      timestamptz,
  paused_until   timestamptz,
  paused_note    text,
  paused_by_id   text,
  version        bigint not null default 1,
  created_at     timestamptz not null default svc_now(),
  updated_at     timestamptz not null default svc_now(),
  created_by_id  text not null default '',
  deleted_at     timestamptz, -- deleted runners still name their group
  unique (org_id, id),
  check (paused_until is null or paused_at is not null)
);
create index runner_groups_by_org on runner_groups (org_id, created_at, id);
create index runner_groups_pause_ends on runner_groups (paused_until) where paused_until is not null;

-- What the broker acts on has a column of its own; what it only hands to runners is in `document`.
create table runner_group_settings (
  id                     svc_id primary key,
  org_id                 svc_id not null,
  runner_group_id        svc_id not null unique,
  version                bigint not null default 1,
  groups                 text[] not null default '{}',
  job_group_parallelism  jsonb not null default '{}' check (jsonb_typeof(job_group_parallelism) = 'object'),
  job_group_max_depth    integer not null default 10000 check (job_group_max_depth between 1 and 10000000),
  heart_beat_timeout     bigint not null default 5000000000
                         check (heart_beat_timeout between 1000000000 and 30000000000),
  sandbox_mode           boolean not null default false,
  document               jsonb not null default '{}' check (jsonb_typeof(document) = 'object'),
  created_at             timestamptz not null default svc_now(),
  updated_at             timestamptz not null default svc_now(),
  created_by_id          text not null default '',
  foreign key (org_id, runner_group_id) references runner_groups (org_id, id) on delete cascade
);

create table runners (
  id                 svc_id primary key,
  org_id             svc_id not null,
  runner_group_id    svc_id not null,
  name               text not null,
  display_name       text not null default '',
  lifecycle          text not null default 'enabled'
                     check (lifecycle in ('enabled', 'disabled', 'deprovisioned', 'deleted')),
  status             text not null default 'awaiting-heartbeat'
                     check (status in ('error', 'active', 'pending', 'provisioning', 'deprovisioning',
                                       'deprovisioned', 'reprovisioning', 'offline',
                                       'awaiting-install-stack-run', 'awaiting-heartbeat', 'disabled', 'unknown')),
  status_description text not null default 'no process has registered yet',
  status_at          timestamptz not null default svc_now(),
  warnings           text[] not null default '{}',
  restart_requested  boolean not null default false,
  paused_at          timestamptz,
  paused_until       timestamptz,
  paused_note        text,
  paused_by_id       text,
  version            bigint not null default 1,
  created_at         timestamptz not null default svc_now(),
  updated_at         timestamptz not null default svc_now(),
  created_by_id      text not null default '',
  unique (org_id, id),
  foreign key (org_id, runner_group_id) references runner_groups (org_id, id),
  check (paused_until is null or paused_at is not null)
);
create index runners_by_org on runners (org_id, created_at, id) where lifecycle <> 'deleted';
create index runners_by_group on runners (runner_group_id);
create unique index runners_name on runners (org_id, name) where lifecycle <> 'deleted';
create index runners_pause_ends on runners (paused_until) where paused_until is not null;

-- A token that is bound to a runner is bound to one of its own org.
alter table tokens add foreign key (org_id, runner_id) references runners (org_id, id);

create table runner_operations (
  id                  svc_id primary key,
  org_id              svc_id not null,
  runner_id           svc_id not null,
  operation_type      text not null
                      check (operation_type in ('provision', 'provision_service_account', 'reprovision', 'deprovision')),
  status              text not null default 'success',
  status_description  text not null default '',
  created_at          timestamptz not null default svc_now(),
  created_by_id       text not null default '',
  foreign key (org_id, runner_id) references runners (org_id, id)
);
create index runner_operations_by_runner on runner_operations (runner_id, id);

-- One history for everything with a CompositeStatus of its own: runners, processes, shutdown records.
create table status_history (
  owner_id     svc_id not null,
  seq          bigint generated always as identity,
  org_id       svc_id not null,
  status       text not null,
  description  text not null default '',
  metadata     jsonb not null default '{}',
  at           timestamptz not null,
  primary key (owner_id, seq)
);
create index status_history_age on status_history using brin (at);

create table runner_processes (
  id                  svc_id primary key,
  org_id              svc_id not null,
  runner_id           svc_id not null,
  type                text not null check (type in ('mng', 'install', 'build', 'org', '')),
  version             text not null default '',
  is_ours             boolean not null default false,
  serves              jsonb check (jsonb_typeof(serves) = 'object'), -- group → slots; null: settings.groups, one slot each
  secret_digest       bytea,
  status              text not null default 'pending'
                      check (status in ('pending', 'active', 'offline', 'inactive',
                                        'pending-shutdown', 'shutting-down', 'shut-down')),
  status_description  text not null default '',
  status_at           timestamptz not null default svc_now(),
  draining            text check (draining in ('graceful', 'force', 'restart')),
  going_away_at       timestamptz, -- the host said that it is terminating
  must_register_anew  boolean not null default false,
  taken_over_by       svc_id,
  started_at          timestamptz not null default svc_now(),
  first_beat_at       timestamptz,
  deadline_at         timestamptz, -- silence clock; the sweep re-arms it lazily from the last beat
  created_at          timestamptz not null default svc_now(),
  updated_at          timestamptz not null default svc_now(),
  takes_no_jobs       text, -- why a live process takes none at present, in its own words: its disk is full
  by_beat             boolean not null default false, -- of a client that registers none: made by its first beat
  binds_plans         boolean not null default false, -- the runner's token alone does not read the plans of what it runs
  unique (org_id, id),
  foreign key (org_id, runner_id) references runners (org_id, id),
  check ((deadline_at is null) = (status in ('inactive', 'shut-down')))
);
create index runner_processes_by_runner on runner_processes (runner_id, created_at);
create index runner_processes_silence on runner_processes (deadline_at) where deadline_at is not null;
-- What a registration costs does not grow with the processes that a runner ever had, nor with the square of those that
-- live: those that live are found by an index of their own, and what they offer is added up once. And a runner may have
-- so many processes and no more: counted under a lock, in the statement that registers.

create index runner_processes_alive on runner_processes (runner_id) where deadline_at is not null;
create index runner_processes_beaten on runner_processes (runner_id) where first_beat_at is not null;
create unique index runner_processes_by_beat on runner_processes (runner_id, type)
  where by_beat and status <> 'shut-down';

-- A beat touches this narrow row only; nothing that a beat writes is indexed, so every beat is HOT.
create table runner_process_beats (
  process_id        svc_id primary key references runner_processes (id) on delete cascade,
  org_id            svc_id not null,
  runner_id         svc_id not null,
  last_seen_at      timestamptz not null, -- registered, beaten or claimed
  last_beat_at      timestamptz,
  previous_beat_at  timestamptz,
  beats             bigint not null default 0,
  alive_time        bigint not null default 0,
  version           text not null default ''
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);
create index runner_process_beats_by_runner on runner_process_beats (runner_id);

create table runner_beat_minutes (
  process_id     svc_id not null,
  minute_bucket  timestamptz not null,
  org_id         svc_id not null,
  runner_id      svc_id not null,
  beats          bigint not null, -- the process's running total at the end of the minute
  primary key (process_id, minute_bucket)
);
create index runner_beat_minutes_age on runner_beat_minutes using brin (minute_bucket);

create table runner_health_checks (
  id             svc_id primary key,
  org_id         svc_id not null,
  runner_id      svc_id not null,
  process        text not null default '',
  process_id     svc_id,
  minute_bucket  timestamptz not null,
  status         text not null,
  status_code    integer not null default 0,
  runner_job_id  svc_id,
  created_at     timestamptz not null default svc_now(),
  foreign key (org_id, runner_id) references runners (org_id, id)
);
create index runner_health_checks_recent on runner_health_checks (runner_id, created_at);
create index runner_health_checks_age on runner_health_checks using brin (created_at);

create table runner_process_shutdowns (
  id                  svc_id primary key,
  org_id              svc_id not null,
  runner_id           svc_id not null,
  runner_process_id   svc_id not null,
  type                text not null check (type in ('graceful', 'force', 'restart')),
  status              text not null default 'requested'
                      check (status in ('requested', 'in-progress', 'completed', 'failed', 'cancelled')),
  status_description  text not null default '',
  metadata            jsonb not null default '{}',
  deadline_at         timestamptz, -- when what still runs is cut
  created_at          timestamptz not null default svc_now(),
  updated_at          timestamptz not null default svc_now(),
  created_by_id       text not null default '',
  foreign key (org_id, runner_process_id) references runner_processes (org_id, id),
  check ((deadline_at is null) = (status in ('completed', 'failed', 'cancelled')))
);
create index runner_process_shutdowns_open on runner_process_shutdowns (runner_process_id) where deadline_at is not null;
create index runner_process_shutdowns_due on runner_process_shutdowns (deadline_at) where deadline_at is not null;
create index runner_process_shutdowns_by_process on runner_process_shutdowns (runner_process_id, created_at);

-- One row a runner and group: its lock serialises every move of its jobs, its counters are its capacity.
create table runner_queues (
  runner_id    svc_id not null,
  job_group    text collate "C" not null
               check (job_group in ('health-checks', 'sync', 'build', 'deploy', 'sandbox', 'runner',
                                    'operations', 'management', 'actions', 'image-actions', '')),
  org_id       svc_id not null,
  parallelism  integer not null default 1 check (parallelism >= 0),
  max_depth    integer not null default 10000,
  offered      integer not null default 0 check (offered >= 0), -- by live serving processes
  held         text, -- why nothing is released: paused, disabled
  slots        integer not null default 0 check (slots >= 0),   -- what these four allow
  in_use       integer not null default 0 check (in_use >= 0),  -- jobs with a slot + executions still stopping
  waiting      integer not null default 0 check (waiting >= 0), -- jobs without a slot
  created_at   timestamptz not null default svc_now(),
  primary key (runner_id, job_group),
  foreign key (org_id, runner_id) references runners (org_id, id)
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_limit = 2000);

-- A mark that some broker listened; a gap starts every silence clock anew.
create table broker_listening (
  singleton   boolean primary key default true check (singleton),
  marked_at   timestamptz not null default svc_now(),
  gap_from    timestamptz not null default '-infinity',
  resumed_at  timestamptz not null default svc_now()
);
insert into broker_listening default values;
