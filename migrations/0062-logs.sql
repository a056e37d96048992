-- Log streams. A stream's records are numbered by position and kept in compressed chunks, one partition a day.
--
-- The stream of a job or a process needs no row before its first record: its id is its owner's with another prefix, and
-- who owns it and whether it is open is read from the owner. Rows here are the streams that were written to, and those
-- of operations, which are made by hand.

create table log_streams (
  id               svc_id not null,
  org_id           svc_id not null references orgs (id),
  owner_id         text not null,
  owner_type       text not null,
  runner_id        svc_id, -- whose tokens write to it
  parent_id        svc_id, -- the stream of the operation that the job works for
  attrs            jsonb not null default '{}',
  created_at       timestamptz not null,
  closed_at        timestamptz, -- closed by hand; the end of an owner closes its stream without it
  version          bigint not null default 0, -- a writer says which one it has read
  last_write       text not null default '', -- whose append made this version
  next_position    bigint not null default 1,
  records          bigint not null default 0, -- kept now
  bytes            bigint not null default 0, -- of these, before compression
  dropped_records  bigint not null default 0, -- the middle, past the limit of size
  dropped_bytes    bigint not null default 0,
  dropped_from     bigint, -- positions: from the first dropped to before the first kept again
  dropped_before   bigint,
  loose_chunks     integer not null default 0, -- small ones since the last full one
  sequences        jsonb not null default '{}', -- execution → {last, gaps: [[first, last, position], …]}
  first_day        date,
  last_day         date,
  expired_before   bigint, -- positions before it were deleted when their time was over
  primary key (org_id, id),
  check ((dropped_from is null) = (dropped_before is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);
create index log_streams_by_owner on log_streams (org_id, owner_id);
create index log_streams_age on log_streams (last_day); -- moves once a day at most: appends stay HOT

-- What is known of executions' numbers, where it is much: gaps past those in a stream's row, and executions that wrote
-- long ago. So no record is taken for one that was there, however many are missing and however many executions share
-- the stream.
create table log_sequences (
  org_id        svc_id not null,
  stream_id     svc_id not null,
  execution_id  text not null, -- as its sender named it
  first         bigint not null, -- 0: the execution as it was in log_streams.sequences; else the least number of a page
  part          jsonb not null, -- of a page: [[first, last, position], …]
  kept_at       timestamptz not null,
  primary key (org_id, stream_id, execution_id, first),
  foreign key (org_id, stream_id) references log_streams (org_id, id) on delete cascade
);

-- A chunk holds records of consecutive positions. It has no foreign key: it is written from its stream's locked row.
create table log_chunks (
  day           date not null,
  org_id        svc_id not null,
  stream_id     svc_id not null,
  position      bigint not null, -- of its first record
  records       integer not null check (records > 0),
  bytes         integer not null, -- before compression
  first_at      timestamptz not null, -- the least and the greatest time that its records tell
  last_at       timestamptz not null,
  min_severity  smallint not null,
  max_severity  smallint not null,
  steps         text[] not null default '{}',
  codec         text not null check (codec in ('zstd')),
  body          bytea not null,
  received_at   timestamptz not null,
  primary key (stream_id, position, day)
) partition by range (day);
alter table log_chunks alter column body set storage external;

-- Partitions for the first days, as make_log_partition makes them from then on (functions/log-retention.sql).
do $$
declare
  today date := (svc_now() at time zone 'UTC')::date;
  name text;
begin
  for n in 0 .. 2 loop
    name := 'log_chunks_' || to_char(today + n, 'YYYYMMDD');
    execute format('create table %I (like log_chunks including all)', name);
    execute format('alter table log_chunks attach partition %I for values from (%L) to (%L)',
                   name, today + n, today + n + 1);
  end loop;
end $$;

-- What an org wrote on a day; brokers add to it every few seconds.
create table log_org_days (
  org_id  svc_id not null,
  day     date not null,
  bytes   bigint not null,
  primary key (org_id, day)
);
