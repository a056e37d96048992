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

create type log_sequence_part as (
  n int, -- of its append
  execution_id text, "first" bigint, part jsonb -- null: it is removed
);

-- Appends as append_logs does, and writes what stands beside the streams' rows with those that are ok. A stream keeps
-- 10,000 executions that were put away; past them the first of those go that do not run.
create function append_logs_and_sequences(write_id text, appends log_append[], chunks log_chunk[], bodies bytea, parts log_sequence_part[])
  returns table (n int, outcome text, stream json, bytes bigint, loose_chunks int)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
begin
  return query
  with done as materialized (
    select * from append_logs(write_id, appends, chunks, bodies)
  ), placed as materialized (
    select a.org_id, a.stream_id, p.execution_id, p.first, p.part
      from done d
      join unnest(appends) a on a.n = d.n
      join unnest(parts) p on p.n = d.n
     where d.outcome = 'ok'
  ), removed as (
    delete from log_sequences q using placed p
     where p.part is null and q.org_id = p.org_id and q.stream_id = p.stream_id
       and q.execution_id = p.execution_id and q.first = p.first
  ), saved as (
    insert into log_sequences as q (org_id, stream_id, execution_id, first, part, kept_at)
    select p.org_id, p.stream_id, p.execution_id, p.first, p.part, svc_now() from placed p where p.part is not null
        on conflict (org_id, stream_id, execution_id, first) do update set part = excluded.part, kept_at = excluded.kept_at
  )
  select d.n, d.outcome, d.stream, d.bytes, d.loose_chunks from done d;
  perform forget_executions(f.org_id, f.stream_id, 10000)
     from (select distinct a.org_id, a.stream_id
             from unnest(parts) p join unnest(appends) a on a.n = p.n
            where p.first = 0) f;
end $$;

-- Forgets what was put away first, so that so many executions stay: none that runs, and none that writes just now.
create function forget_executions(org text, stream text, most int) returns void
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

-- What is known of an execution's numbers, wherever it stands.
create function log_sequence_of(org text, stream text, sequences jsonb, execution text) returns jsonb
  language sql stable parallel safe
  return coalesce(sequences -> execution, (
    select q.part from log_sequences q
     where q.org_id = org and q.stream_id = stream and q.execution_id = execution and q.first = 0));

-- Whether the record of that number is stored; number 0 always is.
create function has_log_record(org text, stream text, execution text, seq bigint) returns boolean
  language sql stable strict parallel safe
  return seq = 0 or coalesce((
    select (k.known ->> 'last')::bigint >= seq
       and not exists (select from jsonb_array_elements(coalesce(k.known -> 'gaps', '[]') || coalesce((
                         select q.part from log_sequences q
                          where q.org_id = org and q.stream_id = stream and q.execution_id = execution
                            and q.first between 1 and seq and k.known -> 'away' is not null
                          order by q.first desc limit 1), '[]')) g (gap)
                        where seq between (g.gap ->> 0)::bigint and (g.gap ->> 1)::bigint)
      from log_streams s
     cross join lateral (select log_sequence_of(org, stream, s.sequences, execution) as known) k
     where s.org_id = org and s.id = stream), false);

-- Streams as they are now, with or without a row; nothing for an id that nobody in the org owns. A job's stream stays
-- open for 60 s after the end, or, when its last record was announced, until everything up to it is here, for 10 min at
-- most; and as long as something of the job may still run over there. One
-- that was made by hand closes by hand, or with its runner.
create or replace function find_log_streams(orgs text[], streams text[]) returns setof log_stream
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
             and not exists (select from runners r
                              where r.org_id = s.org_id and r.id = s.runner_id and r.lifecycle = 'deleted')
           when p.id is not null
             then p.status not in ('inactive', 'shut-down') or svc_now() < p.status_at + interval '60 s'
           when l.id is not null then true
           when exists (select from stopping_executions e where e.runner_job_id = j.id) then true
           when x.last_record is null then svc_now() < d.finished_at + interval '60 s'
           when coalesce((q.known ->> 'last')::bigint, 0) < x.last_record or q.known -> 'away' is not null
                or coalesce(jsonb_array_length(q.known -> 'gaps'), 0) > 0
             then svc_now() < d.finished_at + interval '10 min'
           else false end,
         coalesce(s.version, 0), coalesce(s.last_write, ''), coalesce(s.next_position, 1), coalesce(s.records, 0),
         coalesce(s.bytes, 0), coalesce(s.dropped_records, 0), coalesce(s.dropped_bytes, 0), s.dropped_from, s.dropped_before,
         coalesce(s.loose_chunks, 0), coalesce(s.sequences, '{}'), s.first_day, s.last_day, s.expired_before
    from unnest(orgs, streams) i (org, id)
    left join log_streams s on s.org_id = i.org and s.id = i.id
    left join runner_jobs j on j.org_id = i.org and j.id = 'job_' || substr(i.id, 5)
    left join runner_job_live l on l.id = j.id
    left join runner_job_ends d on d.runner_job_id = j.id
    left join runner_job_executions x on x.org_id = j.org_id and x.id = d.final_execution_id
    left join runner_processes p on j.id is null and p.org_id = i.org and p.id = 'prc_' || substr(i.id, 5)
   cross join lateral (select case when j.id is not null then 'runner_jobs' else 'runner_processes' end as type) o
   cross join lateral (select case when x.last_record is not null
                                   then log_sequence_of(i.org, i.id, s.sequences, x.id) end as known) q
   where s.id is not null or j.id is not null or p.id is not null;
end $$;

-- Drops the middle of a stream that outgrew its limit: the first quarter and the latest records stay. Answers whether
-- anything was dropped.
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
  with doomed as ( -- a little more than is needed, so that not every append has to
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
  delete from log_sequences q -- what comes for these belongs to what was dropped
   where q.org_id = org and q.stream_id = stream and q.first > 0
     and (q.part -> 0 ->> 2)::bigint >= head_before and (q.part -> -1 ->> 2)::bigint < gone.before;
  return true;
end $$;
