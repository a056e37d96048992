-- What an execution still prints that the broker ended while it ran, and that comes when its stream has closed, is kept and
-- marked: its agent may have been frozen or cut off. Until then nobody says that its log is complete.

alter type log_append add attribute late_execution text;

-- Whether the broker ended it while it ran: it may print yet. What was given back had not begun to.
create function was_cut(e runner_job_executions) returns boolean
  language sql immutable
  return e.is_ours and e.ended_by = 'broker' and e.history -> -1 ->> 'status' <> 'pending'
         and not (e.status = 'not-attempted' and e.history -> -1 ->> 'status' = 'initializing');

-- When nobody waits any longer for the log of an execution that has ended.
create function awaits_log_until(e runner_job_executions) returns timestamptz
  language sql immutable
  return e.finished_at + case when was_cut(e) then interval '24 h' when e.last_record is null then interval '60 s'
                              else interval '10 min' end;

-- Appends to streams, each once in a call. outcome: ok · conflict (the stream has moved on: as it is now is answered) ·
-- closed · not-found. What is not ok has changed nothing; what is ok answers the stream's size and its small chunks, too.
-- What is told to be of a late_execution is taken though its stream is closed, for as long as that may be.
-- All bodies come in one, so that they travel once. By the write's id a caller that lost the answer finds out what it was.
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
