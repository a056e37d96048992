-- Limits and partitions of log streams.

-- Deletes the oldest rows of sequences, so that those of `most` executions stay. Never of an execution that runs, or whose
-- sequence is in the stream's row: it is being written.
create or replace function forget_executions(org text, stream text, most int) returns void
  language sql
begin atomic
  with doomed as (
    select q.execution_id
      from log_sequences q
      join log_streams s on s.org_id = q.org_id and s.id = q.stream_id
     where q.org_id = org and q.stream_id = stream and q.first = 0 and not s.sequences ? q.execution_id
       and not exists (select from runner_job_executions x
                        where x.org_id = org and x.id = q.execution_id and x.finished_at is null)
     order by q.kept_at desc, q.execution_id desc
    offset most
  )
  delete from log_sequences q using doomed d
   where q.org_id = org and q.stream_id = stream and q.execution_id = d.execution_id;
end;

-- Deletes the middle of a stream that is over its limit: the first quarter and the latest records stay. Returns whether it
-- deleted any.
create or replace function trim_log_stream(org text, stream text, most_bytes bigint) returns boolean
  language plpgsql as $$
declare
  s log_streams;
  head_before bigint;
  gone record;
begin
  select * into s from log_streams q where q.org_id = org and q.id = stream for no key update;
  if s.id is null or s.bytes <= most_bytes then
    return false;
  end if;
  head_before := s.dropped_from;
  if head_before is null then
    select min(c.position) into head_before
      from (select q.position, sum(q.bytes) over (order by q.position) as upto
              from log_chunks q
             where q.stream_id = stream and q.org_id = org and q.day between s.first_day and s.last_day) c
     where c.upto > most_bytes / 4;
  end if;
  with doomed as ( -- 10 % more than needed, so that not every append trims
    select c.position, c.day
      from (select q.position, q.day, sum(q.bytes) over (order by q.position) - q.bytes as before,
                   row_number() over (order by q.position desc) as from_last
              from log_chunks q
             where q.stream_id = stream and q.org_id = org and q.position >= head_before
               and q.day between s.first_day and s.last_day) c
     where c.before < s.bytes - most_bytes + most_bytes / 10 and c.from_last > 1
  ), dropped as (
    delete from log_chunks c using doomed d
     where c.stream_id = stream and c.position = d.position and c.day = d.day
    returning c.position, c.records, c.bytes
  )
  select count(*) as chunks, sum(d.records) as records, sum(d.bytes) as bytes, max(d.position + d.records) as before
    into gone from dropped d;
  if gone.chunks = 0 then
    return false;
  end if;
  update log_streams q
     set records = q.records - gone.records, bytes = q.bytes - gone.bytes,
         dropped_records = q.dropped_records + gone.records, dropped_bytes = q.dropped_bytes + gone.bytes,
         dropped_from = head_before, dropped_before = greatest(q.dropped_before, gone.before)
   where q.org_id = org and q.id = stream;
  delete from log_sequences q -- records that arrive for these gaps belong to the deleted part
   where q.org_id = org and q.stream_id = stream and q.first > 0
     and (q.part -> 0 ->> 2)::bigint >= head_before and (q.part -> -1 ->> 2)::bigint < gone.before;
  return true;
end $$;

-- Replaces consecutive chunks of one day by one; false when any of them is gone.
create or replace function merge_log_chunks(org text, stream text, of_day date, positions bigint[], merged log_chunk, body bytea)
  returns boolean
  language plpgsql as $$
declare
  n bigint;
begin
  perform 1 from log_streams q where q.org_id = org and q.id = stream for no key update;
  select count(*) into n from log_chunks c
   where c.stream_id = stream and c.position = any(positions) and c.day = of_day and c.org_id = org;
  if n <> cardinality(positions) then
    return false;
  end if;
  delete from log_chunks c where c.stream_id = stream and c.position = any(positions) and c.day = of_day;
  insert into log_chunks (day, org_id, stream_id, position, records, bytes, first_at, last_at, min_severity,
                          max_severity, steps, codec, body, received_at)
  values (of_day, org, stream, merged.position, merged.records, merged.bytes, merged.first_at, merged.last_at,
          merged.min_severity, merged.max_severity, merged.steps, 'zstd', body, svc_now());
  return true;
end $$;

create or replace function log_partition_name(day date) returns text
  language sql immutable strict parallel safe
  return 'log_chunks_' || to_char(day, 'YYYYMMDD');

-- Creates the partition of a day if it is missing. Attaching takes no lock that blocks readers or writers.
create or replace function make_log_partition(day date) returns void
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
