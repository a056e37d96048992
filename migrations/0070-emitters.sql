-- Emitters: what enqueues signals at their time. When the next tick is stands here, and each tick is emitted by the statement that
-- stores the tick after it.

create table queue_emitters (
  id                  svc_id primary key,
  org_id              svc_id not null,
  queue_id            svc_id not null,
  name                text not null check (length(name) between 1 and 200),
  description         text not null default '',
  mode                text not null check (mode in ('cron', 'scheduled', 'fire_once')),
  cron_schedule       text,
  time_zone           text not null default 'UTC',
  scheduled_at        timestamptz, -- the only tick of one that is not cron
  delay               bigint check (delay >= 0), -- of fire_once, in nanoseconds
  fired               boolean not null default false,
  jitter_window       bigint not null default 0 check (jitter_window >= 0),
  grace               bigint not null default 60000000000 check (grace >= 0), -- a tick that is later was missed
  missed_policy       text not null default 'once' check (missed_policy in ('skip', 'once', 'all')),
  missed_limit        integer not null default 10 check (missed_limit between 1 and 100),
  overlap_policy      text not null default 'skip' check (overlap_policy in ('skip', 'allow')),
  signal_type         text not null,
  runs                text not null check (runs in ('pull', 'task', 'hold')),
  task                text,
  owner_id            text not null default '',
  owner_type          text not null default '',
  dedupe_key          text,
  max_executions      integer not null check (max_executions >= 1),
  retry_delay         bigint not null check (retry_delay > 0),
  signal_expires_in   bigint check (signal_expires_in > 0),
  key_id              text, -- the key that sealed the template; null: plain
  contents            bytea not null,
  emit_count          bigint not null default 0,
  skip_count          bigint not null default 0,
  last_emitted_at     timestamptz,
  last_signal_id      svc_id,
  next_tick_at        timestamptz, -- without jitter; null while active: a broker computes it
  next_emit_at        timestamptz, -- with jitter
  due_at              timestamptz, -- when brokers act on it: the emission, another try, the end of the pause
  status              text not null default 'active' check (status in ('active', 'paused', 'done')),
  status_description  text not null default '',
  status_at           timestamptz not null default svc_now(),
  paused_until        timestamptz,
  paused_note         text,
  paused_by_id        text,
  version             bigint not null default 1,
  created_at          timestamptz not null default svc_now(),
  updated_at          timestamptz not null default svc_now(),
  created_by_id       text not null default '',
  unique (org_id, id),
  foreign key (org_id, queue_id) references queues (org_id, id),
  check ((mode = 'cron') = (cron_schedule is not null)),
  check ((mode = 'cron') = (scheduled_at is null)),
  check ((mode = 'fire_once') = (delay is not null)),
  check (mode = 'cron' or jitter_window = 0),
  check ((runs = 'pull') = (task is null)),
  check (status <> 'active' or due_at is not null),
  check (status = 'active' or next_tick_at is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
alter table queue_emitters alter column contents set storage external;
create unique index queue_emitters_name on queue_emitters (queue_id, name);
create index queue_emitters_by_queue on queue_emitters (queue_id, id);
create index queue_emitters_due on queue_emitters (due_at) where due_at is not null;
create index queue_emitters_done on queue_emitters (status_at) where status = 'done';

-- What a broker found due, and what it made of it.
create type emitter_tick as (
  id text, org_id text, queue_id text, version bigint, tick_at timestamptz, -- as they were read
  skipped int, -- ticks that were missed and are not made up for
  next_tick_at timestamptz, next_emit_at timestamptz -- null: no more
);

create type emitted_signal as (emitter_id text, id text, scheduled_for timestamptz, key_id text, contents text); -- base64

-- emitted · skipped · full (the tick is pending) · planned (its next tick was computed) · lost (somebody else was first)
create type settled_emitter as (id text, outcome text, emitted int, emitted_at timestamptz);
