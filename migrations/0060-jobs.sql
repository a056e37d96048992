-- Jobs by temperature: facts are written once, the live row dies with the job, its end is written once.
--
-- What enters from outside is tied by foreign keys with org_id. Plans, ends, results, outputs and the live row have
-- their parent's own key and are written from the parent's row, by functions that hold its lock: a foreign key there
-- could check nothing that can differ, and cost a seventh of a job's whole work in the database.

create table runner_jobs (
  id                 svc_id not null,
  org_id             svc_id not null,
  runner_id          svc_id not null,
  job_group          text collate "C" not null,
  type               text not null,
  operation          text not null check (operation in ('exec', 'build', 'create-apply-plan',
                                                        'create-teardown-plan', 'apply-plan', 'unknown')),
  owner_id           text not null default '',
  owner_type         text not null default '',
  metadata           jsonb not null default '{}',
  queue_timeout      bigint not null check (queue_timeout > 0),
  available_timeout  bigint not null check (available_timeout > 0),
  execution_timeout  bigint not null check (execution_timeout > 0),
  overall_timeout    bigint not null check (overall_timeout > 0),
  max_executions     integer not null check (max_executions >= 1),
  stop_grace         bigint not null,
  changes_things     boolean not null,
  rerun_of           svc_id,
  log_stream_id      svc_id,
  created_at         timestamptz not null,
  created_by_id      text not null default '',
  primary key (org_id, id), -- ids begin with their time: this is the order of lists, too
  foreign key (org_id, runner_id) references runners (org_id, id)
);
create index runner_jobs_by_runner on runner_jobs (runner_id, id);
create index runner_jobs_by_owner on runner_jobs (org_id, owner_id, id) where owner_id <> '';

create table runner_job_plans (
  runner_job_id  svc_id primary key,
  org_id         svc_id not null,
  key_id         text, -- the key that sealed the contents; null: plain
  contents       bytea not null,
  names          text[] collate "C" -- what it names: workspaces, charts, runs, configs; null: written by a broker that kept none
);
alter table runner_job_plans alter column contents set storage external;

-- The names again, to find the plans that name a thing: plans are sealed, and only these are opened to find out what
-- their runner may reach.
create table runner_job_plan_names (
  org_id         svc_id not null,
  name           text collate "C" not null,
  runner_job_id  svc_id not null,
  primary key (org_id, name, runner_job_id)
);

create table runner_job_live (
  id                 svc_id primary key,
  org_id             svc_id not null,
  runner_id          svc_id not null,
  job_group          text collate "C" not null,
  status             text not null check (status in ('queued', 'available', 'in-progress')),
  has_slot           boolean not null,
  withdrawals        integer not null default 0,
  execution_count    integer not null default 0,
  max_executions     integer not null,
  created_at         timestamptz not null,
  status_at          timestamptz not null,
  deadline_at        timestamptz not null, -- never later than the first clock that can end this status
  overall_at         timestamptz not null,
  queue_timeout      bigint not null,
  available_timeout  bigint not null,
  execution_timeout  bigint not null,
  stop_grace         bigint not null,
  changes_things     boolean not null,
  started_at         timestamptz,
  execution_id       svc_id,
  process_id         svc_id,
  holders            text[], -- a claim that named no process while several lived: any of them may hold it
  blocked_by         svc_id, -- the ended execution that a retry must not meet
  offered_until      timestamptz,
  event_tx           xid8 not null default pg_current_xact_id(), -- of its last event: its events never go back
  check ((status = 'in-progress') = (execution_id is not null)),
  check (status <> 'queued' or not has_slot),
  check (status <> 'in-progress' or has_slot)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
create index runner_job_live_waiting on runner_job_live (runner_id, job_group, withdrawals, created_at, id)
  where not has_slot;
create index runner_job_live_offer on runner_job_live (runner_id, job_group, withdrawals, created_at, id)
  where status = 'available' and has_slot;
create index runner_job_live_deadline on runner_job_live (deadline_at);
create index runner_job_live_running on runner_job_live (runner_id, process_id) where status = 'in-progress';
-- Jobs that the queue timeout made available while there is no slot: normally none.
create index runner_job_live_overdue on runner_job_live (job_group) where status = 'available' and not has_slot;

create table runner_job_ends (
  runner_job_id       svc_id primary key,
  org_id              svc_id not null,
  status              text not null check (status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled')),
  status_description  text not null default '',
  clock               text check (clock in ('execution_timeout', 'overall_timeout')),
  composite_error     jsonb,
  execution_count     integer not null,
  final_execution_id  svc_id,
  created_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz not null
);
-- Most jobs finish: a list of those walks the facts instead.
create index runner_job_ends_by_status on runner_job_ends (org_id, status, runner_job_id) where status <> 'finished';
create index runner_job_ends_age on runner_job_ends using brin (finished_at);

-- No move outside of shared/runner-job.ts can be stored.
create table runner_job_events (
  org_id        svc_id not null,
  tx            xid8 not null default pg_current_xact_id(),
  seq           bigint generated always as identity,
  runner_job_id svc_id not null,
  runner_id     svc_id not null,
  job_group     text collate "C" not null,
  event         text not null,
  from_status   text not null,
  to_status     text not null,
  execution_id  svc_id,
  description   text not null default '',
  at            timestamptz not null,
  primary key (org_id, tx, seq)
);
-- Not valid, here as in databases of before, which were not read through for it.
alter table runner_job_events add constraint runner_job_events_is_move
  check (is_job_move(event, from_status, to_status)) not valid;
create index runner_job_events_by_job on runner_job_events (runner_job_id);
create index runner_job_events_age on runner_job_events using brin (at);

create table runner_job_enqueue_keys (
  org_id       svc_id not null references orgs (id),
  key          text not null,
  fingerprint  bytea not null,
  job_ids      text[] not null,
  created_at   timestamptz not null,
  primary key (org_id, key)
);
create index runner_job_enqueue_keys_age on runner_job_enqueue_keys using brin (created_at);

-- What /metrics shows of jobs that have ended: running totals, kept once for all brokers.

create table runner_job_tallies (
  job_group  text collate "C" not null,
  type       text not null,
  status     text not null check (status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled')),
  measure    text not null check (measure in ('end', 'queue', 'run')), -- queue, run: only jobs that a process took
  upto       double precision not null, -- the least bound that the seconds do not exceed
  jobs       bigint not null,
  seconds    double precision not null,
  primary key (job_group, type, status, measure, upto)
);

-- All ends written by transactions before this one are in the tallies.
create table runner_job_tally_mark (
  singleton   boolean primary key default true check (singleton),
  tx          xid8 not null default pg_current_xact_id(),
  tallied_at  timestamptz not null default svc_now()
);
insert into runner_job_tally_mark default values;
