-- Emitters: orgs take turns, a tick that outlives its schedule, what is overdue, and how many an org has.

-- Ticks are counted after this instant: when the emitter was created, or its schedule changed. A next tick that is not after it is one
-- of the schedule before.
alter table queue_emitters add column schedule_at timestamptz;

create index if not exists queue_emitters_due_of_org on queue_emitters (org_id, due_at) where due_at is not null;
-- What waits after its time: its queue is full, or it cannot emit.
create index if not exists queue_emitters_overdue on queue_emitters (next_emit_at) where due_at > next_emit_at;

create table queue_emitter_counts (
  org_id    svc_id primary key references orgs (id),
  emitters  integer not null check (emitters >= 0)
);
create trigger queue_emitters_created after insert on queue_emitters
  referencing new table as changed for each statement execute function count_emitters();
create trigger queue_emitters_deleted after delete on queue_emitters
  referencing old table as changed for each statement execute function count_emitters();
insert into queue_emitter_counts (org_id, emitters) select e.org_id, count(*) from queue_emitters e group by 1;

-- What a broker reads of an emitter to compute its ticks and its signals.
create type due_emitter as (
  id text, org_id text, queue_id text, version bigint, mode text, cron_schedule text, time_zone text, jitter_window bigint, grace bigint,
  missed_policy text, missed_limit int, scheduled_at timestamptz, schedule_at timestamptz, next_tick_at timestamptz,
  next_emit_at timestamptz, paused_until timestamptz, status_at timestamptz, key_id text, contents bytea, now timestamptz
);
