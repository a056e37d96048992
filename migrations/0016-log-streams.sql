-- Log streams. A stream's records are numbered by position and kept in compressed chunks, one partition a day.
--
-- The stream of a job or a process needs no row before its first record: its id is its owner's with another prefix, and
-- who owns it and whether it is open is read from the owner. Rows here are the streams that were written to, and those
-- of operations, which are made by hand.

create function log_stream_of(owner_id text) returns text
  language sql immutable strict parallel safe
  return 'lgs_' || substr(owner_id, 5);

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
  primary key (org_id, id),
  check ((dropped_from is null) = (dropped_before is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_limit = 2000);
create index log_streams_by_owner on log_streams (org_id, owner_id);
create index log_streams_age on log_streams (last_day); -- moves once a day at most: appends stay HOT

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

-- What an org wrote on a day; brokers add to it every few seconds.
create table log_org_days (
  org_id  svc_id not null,
  day     date not null,
  bytes   bigint not null,
  primary key (org_id, day)
);

create function log_partition_name(day date) returns text
  language sql immutable strict parallel safe
  return 'log_chunks_' || to_char(day, 'YYYYMMDD');

-- Makes the partition of a day if it is not there; attaching takes no lock that a reader or writer waits for.
create function make_log_partition(day date) returns void
  language plpgsql as $$
declare
  name text := log_partition_name(day);
begin
  if to_regclass(name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtext('svc log partitions'));
  if to_regclass(name) is not null then
    return;
  end if;
  execute format('create table %I (like log_chunks including all)', name);
  execute format('alter table log_chunks attach partition %I for values from (%L) to (%L)', name, day, day + 1);
end $$;

select make_log_partition((svc_now() at time zone 'UTC')::date + n) from generate_series(0, 2) n;

create type log_stream as (
  id text, org_id text, owner_id text, owner_type text, runner_id text, parent_id text, attrs jsonb,
  created_at timestamptz, is_open boolean,
  version bigint, last_write text, next_position bigint, records bigint, bytes bigint, dropped_records bigint, dropped_bytes bigint,
  dropped_from bigint, dropped_before bigint, loose_chunks integer, sequences jsonb, first_day date, last_day date
);

-- Streams as they are now, with or without a row; nothing for an id that nobody in the org owns. A job's stream stays
-- open for 60 s after the end, or, when its last record was announced, until everything up to it is here, for 10 min at
-- most; and as long as something of the job may still run over there.
create function find_log_streams(orgs text[], streams text[]) returns setof log_stream
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  return query
  select i.id, i.org, coalesce(s.owner_id, j.id, p.id)::text, coalesce(s.owner_type, o.type),
         coalesce(s.runner_id, j.runner_id, p.runner_id)::text,
         coalesce(s.parent_id, (select q.id from log_streams q
                                 where q.org_id = i.org and q.owner_id = j.owner_id and j.owner_id <> ''
                                 order by q.id desc limit 1))::text,
         coalesce(s.attrs, '{}'), coalesce(s.created_at, j.created_at, p.created_at),
         s.closed_at is null and case
           when j.id is null and p.id is null then s.owner_type not in ('runner_jobs', 'runner_processes')
           when p.id is not null
             then p.status not in ('inactive', 'shut-down') or svc_now() < p.status_at + interval '60 s'
           when l.id is not null then true
           when exists (select from stopping_executions e where e.runner_job_id = j.id) then true
           when x.last_record is null then svc_now() < d.finished_at + interval '60 s'
           when coalesce((s.sequences -> x.id::text ->> 'last')::bigint, 0) < x.last_record
                or coalesce(jsonb_array_length(s.sequences -> x.id::text -> 'gaps'), 0) > 0
             then svc_now() < d.finished_at + interval '10 min'
           else false end,
         coalesce(s.version, 0), coalesce(s.last_write, ''), coalesce(s.next_position, 1), coalesce(s.records, 0),
         coalesce(s.bytes, 0), coalesce(s.dropped_records, 0), coalesce(s.dropped_bytes, 0), s.dropped_from, s.dropped_before,
         coalesce(s.loose_chunks, 0), coalesce(s.sequences, '{}'), s.first_day, s.last_day
    from unnest(orgs, streams) i (org, id)
    left join log_streams s on s.org_id = i.org and s.id = i.id
    left join runner_jobs j on j.org_id = i.org and j.id = 'job_' || substr(i.id, 5)
    left join runner_job_live l on l.id = j.id
    left join runner_job_ends d on d.runner_job_id = j.id
    left join runner_job_executions x on x.org_id = j.org_id and x.id = d.final_execution_id
    left join runner_processes p on j.id is null and p.org_id = i.org and p.id = 'prc_' || substr(i.id, 5)
   cross join lateral (select case when j.id is not null then 'runner_jobs' else 'runner_processes' end as type) o
   where s.id is not null or j.id is not null or p.id is not null;
end $$;
