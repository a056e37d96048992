-- Log streams. A stream's records are numbered by position and kept in compressed chunks, one partition a day.
--
-- The stream of a job or a process needs no row before its first record: its id is its owner's with another prefix, and the
-- owner says whether it is open. Rows exist for streams that were written to, and for those that were created by request.
create or replace function log_stream_of(owner_id text) returns text
  language sql immutable strict parallel safe
  return 'lgs_' || substr(owner_id, 5);

-- Whether the broker ended the execution while it ran, so that more of its log may arrive. One that was given back never ran.
create or replace function was_cut(e runner_job_executions) returns boolean
  language sql immutable
  return e.is_ours and e.ended_by = 'broker' and e.history -> -1 ->> 'status' <> 'pending'
         and not (e.status = 'not-attempted' and e.history -> -1 ->> 'status' = 'initializing');

-- Until when late log records of an execution that has ended are accepted.
create or replace function awaits_log_until(e runner_job_executions) returns timestamptz
  language sql immutable
  return e.finished_at + case when was_cut(e) then interval '24 h' when e.last_record is null then interval '60 s'
                              else interval '10 min' end;

-- Which record numbers of an execution are stored: from the stream's row, or from log_sequences once it was moved there.
create or replace function log_sequence_of(org text, stream text, sequences jsonb, execution text) returns jsonb
  language sql stable parallel safe
  return coalesce(sequences -> execution, (
    select q.part from log_sequences q
     where q.org_id = org and q.stream_id = stream and q.execution_id = execution and q.first = 0));

-- Whether the record of that number is stored; number 0 always is.
create or replace function has_log_record(org text, stream text, execution text, seq bigint) returns boolean
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

-- Streams as they are now, with or without a row; none for an id without an owner in the org. A job's stream stays open for
-- 60 s after the end or, if its last record was announced, until all records up to it are stored, for 10 min at most; and as
-- long as an execution of the job is stopping. A stream that was created by request is closed by request, or with its runner.
-- If the broker ended the execution while it ran, records are late 60 s after its end, also when the agent has announced the
-- last one meanwhile: the rule must not depend on which arrives first, the end or the log.
-- It asks by subqueries for one value: Postgres may answer an `exists` here by reading the other table whole.
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
             and (select r.lifecycle from runners r where r.org_id = s.org_id and r.id = s.runner_id) is distinct from 'deleted'
           when p.id is not null
             then p.status not in ('inactive', 'shut-down') or svc_now() < p.status_at + interval '60 s'
           when l.id is not null then true
           when (select true from stopping_executions e where e.runner_job_id = j.id limit 1) then true
           when x.last_record is null or was_cut(x) then svc_now() < d.finished_at + interval '60 s'
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

-- Does append_logs, and writes the sequences that are kept beside the streams' rows for the appends that are ok. A stream keeps
-- sequences of 10,000 executions there; beyond that the oldest that do not run are deleted.
create or replace function append_logs_and_sequences(write_id text, appends log_append[], chunks log_chunk[], bodies bytea, parts log_sequence_part[])
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

-- Appends to streams, each at most once a call. outcome: ok · conflict (the version is another: the current stream is returned) ·
-- closed · not-found. Only ok changes anything; it also returns the stream's size and its number of small chunks.
-- An append with a late_execution is accepted by a closed stream until awaits_log_until.
-- All bodies come in one value, so that they are sent once. After a lost response, write_id tells the caller whether it was written.
create or replace function append_logs(write_id text, appends log_append[], chunks log_chunk[], bodies bytea)
  returns table (n int, outcome text, stream json, bytes bigint, loose_chunks int)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  today date := (t at time zone 'UTC')::date;
  found log_stream[];
  late int[]; -- by their n
  written log_append[]; -- bytes and loose_chunks as they are now
begin
  perform make_log_partition(today);
  perform 1
     from (select a.org_id, a.stream_id from unnest(appends) a order by 1, 2) a
     join log_streams s on s.org_id = a.org_id and s.id = a.stream_id
    order by s.org_id, s.id for no key update of s;
  select array_agg(f) into found
    from find_log_streams(array(select a.org_id from unnest(appends) a),
                          array(select a.stream_id from unnest(appends) a)) f;
  if exists (select from unnest(appends) a where a.late_execution is not null) then
    select array_agg(a.n) into late
      from unnest(appends) a
      join unnest(found) f on f.org_id = a.org_id and f.id = a.stream_id
      join runner_job_executions e on e.org_id = a.org_id and e.id = a.late_execution and e.runner_job_id = f.owner_id
     where was_cut(e) and t < awaits_log_until(e);
  end if;
  with saved as (
    insert into log_streams as s (id, org_id, owner_id, owner_type, runner_id, parent_id, attrs, created_at, version,
                                  last_write, next_position, records, bytes, loose_chunks, sequences, first_day, last_day)
    select f.id, f.org_id, f.owner_id, f.owner_type, f.runner_id, f.parent_id, f.attrs, f.created_at, f.version + 1,
           write_id, a.next_position, a.records, a.bytes, a.loose_chunks, a.sequences, today, today
      from unnest(appends) a
      join unnest(found) f on f.org_id = a.org_id and f.id = a.stream_id
     where (f.is_open or a.n = any(late)) and f.version = a.version
     order by f.org_id, f.id
        on conflict (org_id, id) do update
       set version = excluded.version, last_write = write_id, next_position = excluded.next_position,
           sequences = excluded.sequences, records = s.records + excluded.records, bytes = s.bytes + excluded.bytes,
           loose_chunks = s.loose_chunks + excluded.loose_chunks,
           first_day = coalesce(s.first_day, excluded.first_day), last_day = excluded.last_day
     where s.version = excluded.version - 1
    returning s.id, s.org_id, s.bytes, s.loose_chunks
  )
  select array_agg(row(a.n, w.org_id, w.id, null, null, null, null, w.bytes, w.loose_chunks, null)::log_append) into written
    from saved w join unnest(appends) a on a.org_id = w.org_id and a.stream_id = w.id;
  insert into log_chunks (day, org_id, stream_id, position, records, bytes, first_at, last_at, min_severity,
                          max_severity, steps, codec, body, received_at)
  select today, a.org_id, a.stream_id, c.position, c.records, c.bytes, c.first_at, c.last_at, c.min_severity,
         c.max_severity, c.steps, 'zstd', substring(bodies from c.body_from for c.body_length), t
    from unnest(chunks) c
    join unnest(written) a on a.n = c.n;
  return query
  select a.n, case when w.n is not null then 'ok' when f.id is null then 'not-found'
                   when f.is_open or a.n = any(late) then 'conflict' else 'closed' end,
         case when w.n is null then to_json(f) end, w.bytes, w.loose_chunks
    from unnest(appends) a
    left join unnest(written) w on w.n = a.n
    left join unnest(found) f on f.org_id = a.org_id and f.id = a.stream_id;
end $$;
