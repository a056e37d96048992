-- The turns of signals that brokers execute. A signal whose turn is a runner job is in flight until that job has ended: the job names
-- the signal, the signal the job.
alter table runner_job_live add column signal_id svc_id;
create index runner_job_live_signal on runner_job_live (signal_id) where signal_id is not null;
alter type new_job add attribute signal_id text;

alter table queue_signal_live add column awaits_job svc_id;
create index queue_signal_live_awaits on queue_signal_live (awaits_job) where awaits_job is not null;

-- A callback that is not a signal is tried until it is done. Its clock: when it is to be tried again, or whoever tries it is lost.
alter table queue_signal_callbacks add column tries integer not null default 0;
alter table queue_signal_callbacks add column due_at timestamptz;
create index queue_signal_callbacks_due on queue_signal_callbacks (due_at) where due_at is not null;

create type begun_turn as (
  type text, created_by_id text, execution_count int,
  attempt text, -- the same until an execution was reported: what a lost one began is found by it
  job_id text, -- a live job that an execution before it made
  key_id text, contents bytea
);

create type begun_callback as (
  kind text, next_id text, tries int, key_id text, contents bytea, created_by_id text,
  type text, queue_id text, owner_id text, owner_type text, context jsonb, execution_count int,
  status text, status_description text, result_key_id text, result bytea, finished_at timestamptz
);
