-- Queues of signals. As with jobs: facts are written once, the live row dies with the signal, its end is written once, and
-- what each move of a queue changes is a narrow row whose lock orders them all.

create table queues (
  id                  svc_id primary key,
  org_id              svc_id not null references orgs (id),
  name                text not null check (length(name) between 1 and 200),
  owner_id            text not null default '',
  owner_type          text not null default '',
  idle_timeout        bigint not null check (idle_timeout >= 0), -- nanoseconds; 0: it never goes idle
  metadata            jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  status              text not null default 'active' check (status in ('active', 'idle', 'paused')),
  status_description  text not null default '',
  status_at           timestamptz not null default svc_now(),
  paused_until        timestamptz,
  paused_note         text,
  paused_by_id        text,
  deadline_at         timestamptz, -- the pause ends, or it may go idle: found out then
  version             bigint not null default 1,
  created_at          timestamptz not null default svc_now(),
  updated_at          timestamptz not null default svc_now(),
  created_by_id       text not null default '',
  deleted_at          timestamptz, -- ended signals still name their queue
  unique (org_id, id),
  check (paused_until is null or status = 'paused')
);
create index queues_by_org on queues (org_id, id) where deleted_at is null;
create unique index queues_name on queues (org_id, owner_type, owner_id, name) where deleted_at is null;
create index queues_due on queues (deadline_at) where deadline_at is not null;

create table queue_counters (
  queue_id       svc_id primary key,
  org_id         svc_id not null,
  max_depth      integer not null check (max_depth between 1 and 1000000),
  max_in_flight  integer not null check (max_in_flight between 1 and 1000),
  is_paused      boolean not null default false,
  is_idle        boolean not null default false,
  waiting        integer not null default 0 check (waiting >= 0),   -- queued signals
  own_turns      integer not null default 0 check (own_turns >= 0), -- those of them that brokers run
  delayed        integer not null default 0 check (delayed >= 0),   -- signals in back-off without a place
  in_flight      integer not null default 0 check (in_flight >= 0), -- signals with a place
  bytes          bigint not null default 0 check (bytes >= 0),      -- of all these
  last_used_at   timestamptz not null default svc_now()
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_limit = 2000);

create table queue_signals (
  id              svc_id not null,
  org_id          svc_id not null,
  queue_id        svc_id not null,
  type            text not null,
  runs            text not null check (runs in ('pull', 'task', 'hold')), -- claimed by workers, run by brokers, held by somebody
  task            text, -- the task of brokers that its turn wakes
  owner_id        text not null default '',
  owner_type      text not null default '',
  context         jsonb not null default '{}' check (jsonb_typeof(context) = 'object'),
  awaited_by      svc_id, -- the signal that does not end before this one has
  caused_by       svc_id, -- the signal whose callback this is
  emitter_id      svc_id,
  scheduled_for   timestamptz, -- the tick that emitted it
  dedupe_key      text,
  expires_at      timestamptz,
  max_executions  integer not null check (max_executions >= 1),
  retry_delay     bigint not null check (retry_delay > 0),
  key_id          text, -- the key that sealed the contents; null: plain
  contents        bytea not null,
  created_at      timestamptz not null,
  created_by_id   text not null default '',
  primary key (org_id, id), -- ids begin with their time: this is the order of lists, too
  foreign key (org_id, queue_id) references queues (org_id, id),
  check ((runs = 'pull') = (task is null))
);
alter table queue_signals alter column contents set storage external;
create index queue_signals_by_queue on queue_signals (queue_id, id);
create index queue_signals_by_owner on queue_signals (org_id, owner_id, id) where owner_id <> '';
create index queue_signals_by_emitter on queue_signals (emitter_id, id) where emitter_id is not null;
-- A tick is emitted once, whatever brokers do.
create unique index queue_signals_tick on queue_signals (emitter_id, scheduled_for) where scheduled_for is not null;

create table queue_signal_live (
  id                  svc_id primary key,
  org_id              svc_id not null,
  queue_id            svc_id not null,
  place               bigint generated always as identity, -- in line; given under the lock of the queue's counters
  status              text not null check (status in ('queued', 'in-flight', 'retrying')),
  runs                text not null,
  has_place           boolean not null default false, -- one of max_in_flight
  dedupe_key          text,
  size                integer not null,
  execution_count     integer not null default 0,
  max_executions      integer not null,
  retry_delay         bigint not null,
  lease_id            text,
  lease               bigint, -- how long, in nanoseconds
  reported_lease_id   text, -- of the last execution that was said to have failed
  claim_id            text,
  worker              text,
  expires_at          timestamptz,
  deadline_at         timestamptz, -- the first clock of its status; null: none runs
  created_at          timestamptz not null,
  status_at           timestamptz not null,
  status_description  text not null default '',
  started_at          timestamptz,
  history             jsonb not null default '[]',
  check ((status = 'in-flight') = (lease_id is not null)),
  check (status <> 'in-flight' or has_place),
  check (status <> 'queued' or not has_place)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
create index queue_signal_live_waiting on queue_signal_live (queue_id, place) where status = 'queued';
create index queue_signal_live_busy on queue_signal_live (queue_id) where status <> 'queued';
create index queue_signal_live_deadline on queue_signal_live (deadline_at) where deadline_at is not null;
create unique index queue_signal_live_dedupe on queue_signal_live (queue_id, dedupe_key) where dedupe_key is not null;

create table queue_signal_ends (
  signal_id           svc_id primary key,
  org_id              svc_id not null,
  queue_id            svc_id not null,
  status              text not null check (status in ('finished', 'dead', 'expired', 'cancelled')),
  status_description  text not null default '',
  execution_count     integer not null,
  lease_id            text, -- of the execution that ended it
  key_id              text, -- the key that sealed the result; null: plain
  result              bytea,
  started_at          timestamptz,
  finished_at         timestamptz not null,
  history             jsonb not null default '[]'
);
create index queue_signal_ends_by_status on queue_signal_ends (queue_id, status, signal_id);
create index queue_signal_ends_age on queue_signal_ends using brin (finished_at);

-- What follows the end of a signal. One that is a signal becomes one in the statement of the end; the others are tasks that it adds.
create table queue_signal_callbacks (
  signal_id       svc_id not null,
  n               integer not null,
  org_id          svc_id not null,
  kind            text not null check (kind in ('signal', 'runner-job', 'http-call')),
  statuses        text[] not null check (statuses <@ '{finished,dead,expired,cancelled}'::text[] and statuses <> '{}'),
  status          text not null default 'waiting' check (status in ('waiting', 'skipped', 'pending', 'done', 'failed')),
  status_description text not null default '',
  next_id         svc_id not null, -- the signal or the job that it makes; the thing whose contents are sealed
  queue_id        svc_id,
  type            text,
  runs            text,
  task            text,
  dedupe_key      text,
  expires_in      bigint,
  max_executions  integer,
  retry_delay     bigint,
  key_id          text,
  contents        bytea not null,
  created_by_id   text not null default '',
  settled_at      timestamptz,
  primary key (signal_id, n),
  check ((kind = 'signal') = (num_nonnulls(queue_id, type, runs, max_executions, retry_delay) = 5))
);
alter table queue_signal_callbacks alter column contents set storage external;

create table queue_signal_keys (
  org_id       svc_id not null references orgs (id),
  key          text not null,
  fingerprint  bytea not null,
  signal_ids   text[] not null,
  created_at   timestamptz not null,
  primary key (org_id, key)
);
create index queue_signal_keys_age on queue_signal_keys using brin (created_at);

create type new_callback as (
  n int, kind text, statuses text[], next_id text, queue_id text, type text, runs text, task text, dedupe_key text,
  expires_in bigint, max_executions int, retry_delay bigint, key_id text, contents text -- base64
);

create type new_signal as (
  request int, id text, org_id text, queue_id text, type text, runs text, task text, owner_id text, owner_type text,
  context jsonb, awaited_by text, caused_by text, emitter_id text, scheduled_for timestamptz, dedupe_key text,
  expires_at timestamptz, expires_in bigint, max_executions int, retry_delay bigint, key_id text,
  contents text, -- base64
  created_by_id text, idempotency_key text, fingerprint text, callbacks new_callback[]
);

-- What a request came to: enqueued · kept (id: the live signal with the same dedupe key) · replay · or why it was refused.
create type enqueued_signal as (request int, outcome text, id text, status text, created_at timestamptz);

create type claimed_signal as (
  waiter int, repeated boolean, id text, org_id text, queue_id text, type text, owner_id text, owner_type text, context jsonb,
  dedupe_key text, emitter_id text, scheduled_for timestamptz, caused_by text, expires_at timestamptz, execution_count int,
  max_executions int, created_at timestamptz, lease_id text, lease_until timestamptz, key_id text, contents bytea
);

create type signal_move as (
  signal_id text, event text, description text,
  retry_in bigint, -- a back-off that the worker asks for; null: the signal's own
  key_id text, result text, -- base64
  n int
);

create type signal_report as (
  n int, org_id text, signal_id text, lease_id text,
  event text, -- finish · fail · give-up (fail without a retry) · extend
  description text, retry_in bigint, lease bigint, key_id text, result text
);

create type reported_signal as (
  n int,
  outcome text, -- done · repeated · lost · not-found
  status text, lease_until timestamptz
);

-- Queues whose workers have something to claim.
create type swept_signals as (due int, queue_ids text[]);
