-- Jobs by temperature: facts are written once, the live row dies with the job, its end is written once.
--
-- What enters from outside is tied by foreign keys with org_id. Plans, ends, results, outputs and the live row have
-- their parent's own key and are written from the parent's row, by functions that hold its lock: a foreign key there
-- could check nothing that can differ, and cost a seventh of a job's whole work in the database.

create function ns(nanoseconds bigint) returns interval
  language sql immutable parallel safe
  return (nanoseconds / 1000) * interval '1 microsecond';

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
  contents       bytea not null
);
alter table runner_job_plans alter column contents set storage external;

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

create table runner_job_executions (
  id                  svc_id not null,
  org_id              svc_id not null,
  runner_job_id       svc_id not null,
  runner_id           svc_id not null,
  process_id          svc_id,
  holders             text[],
  is_ours             boolean not null,
  status              text not null default 'pending'
                      check (status in ('pending', 'initializing', 'in-progress', 'cleaning-up', 'finished',
                                        'failed', 'timed-out', 'not-attempted', 'cancelled')),
  status_description  text not null default '',
  ended_by            text check (ended_by in ('client', 'broker')),
  history             jsonb not null default '[]',
  poll_id             text,
  token_digest        bytea,
  created_at          timestamptz not null,
  deadline_at         timestamptz not null,
  confirmed_at        timestamptz,
  finished_at         timestamptz,
  last_record         bigint,
  primary key (org_id, id),
  foreign key (org_id, runner_job_id) references runner_jobs (org_id, id) on delete cascade,
  check ((status in ('finished', 'failed', 'timed-out', 'not-attempted', 'cancelled')) = (finished_at is not null)),
  check ((finished_at is null) = (ended_by is null))
) with (fillfactor = 60);
create index runner_job_executions_by_job on runner_job_executions (runner_job_id);

-- The first result is the result; whatever comes after it is evidence.
create table runner_job_execution_results (
  execution_id           svc_id primary key,
  org_id                 svc_id not null,
  id                     svc_id not null,
  success                boolean not null,
  error_code             integer not null default 0,
  error_metadata         jsonb not null default '{}',
  composite_error        jsonb,
  contents               text,
  contents_display       text,
  contents_gzip          bytea,
  contents_display_gzip  bytea,
  created_at             timestamptz not null
);

create table runner_job_execution_outputs (
  execution_id  svc_id primary key,
  org_id        svc_id not null,
  id            svc_id not null,
  outputs       json not null,
  created_at    timestamptz not null
);

create table runner_job_execution_evidence (
  id            bigint generated always as identity primary key,
  execution_id  svc_id not null,
  org_id        svc_id not null,
  kind          text not null check (kind in ('status', 'result', 'outputs')),
  body          jsonb not null,
  reason        text not null,
  created_at    timestamptz not null,
  foreign key (org_id, execution_id) references runner_job_executions (org_id, id) on delete cascade
);
create index runner_job_execution_evidence_by_execution on runner_job_execution_evidence (execution_id);

-- An execution that the broker ended and that may still run over there: it holds its slot.
create table stopping_executions (
  execution_id  svc_id primary key,
  org_id        svc_id not null,
  runner_id     svc_id not null,
  job_group     text collate "C" not null,
  runner_job_id svc_id not null,
  process_id    svc_id,
  holders       text[],
  is_ours       boolean not null,
  reason        text not null check (reason in ('cancelled', 'timed-out', 'forced', 'lost')),
  holds_slot    boolean not null default true,
  started_at    timestamptz not null,
  slot_until    timestamptz not null,
  gone_by       timestamptz not null, -- a retry may start after this, or after its process confirmed
  deadline_at   timestamptz not null,
  foreign key (runner_id, job_group) references runner_queues (runner_id, job_group),
  check (gone_by >= slot_until)
);
create index stopping_executions_due on stopping_executions (deadline_at);
create index stopping_executions_by_runner on stopping_executions (runner_id, process_id);
create index stopping_executions_by_job on stopping_executions (runner_job_id);

-- The rows of shared/runner-job.ts, once more: no move outside the table can be stored.
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
  primary key (org_id, tx, seq),
  constraint runner_job_events_move check (
    (event = 'enqueue' and from_status = '' and to_status = 'queued') or
    (event = 'release' and from_status = 'queued' and to_status = 'available') or
    (event = 'claim' and from_status = 'available' and to_status = 'in-progress') or
    (event = 'withdraw' and from_status = 'available' and to_status = 'queued') or
    (event in ('return', 'retry') and from_status = 'in-progress' and to_status = 'queued') or
    (event = 'finish' and from_status = 'in-progress' and to_status = 'finished') or
    (event = 'fail' and from_status = 'in-progress' and to_status = 'failed') or
    (event = 'expire' and from_status = 'in-progress' and to_status = 'timed-out') or
    (event = 'skip' and from_status in ('queued', 'available', 'in-progress') and to_status = 'not-attempted') or
    (event = 'cancel' and from_status in ('queued', 'available', 'in-progress') and to_status = 'cancelled'))
);
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
