-- How log streams grow, and how they are kept small.

create type log_append as (
  n int, org_id text, stream_id text,
  version bigint, -- as the writer has read it
  next_position bigint, sequences jsonb, -- as they are to be
  records bigint, bytes bigint, loose_chunks integer -- what comes on top
);

create type log_chunk as (
  n int, -- of its append
  "position" bigint, records int, bytes int, first_at timestamptz, last_at timestamptz,
  min_severity int, max_severity int, steps text[], body_from int, body_length int
);

-- Appends to streams, each once in a call. outcome: ok · conflict (the stream has moved on: as it is now is answered) ·
-- closed · not-found. What is not ok has changed nothing; what is ok answers the stream's size and its small chunks, too.
-- All bodies come in one, so that they travel once. By the write's id a caller that lost the answer finds out what it was.
create function append_logs(write_id text, appends log_append[], chunks log_chunk[], bodies bytea)
  returns table (n int, outcome text, stream json, bytes bigint, loose_chunks int)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  today date := (t at time zone 'UTC')::date;
  found log_stream[];
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
  with saved as (
    insert into log_streams as s (id, org_id, owner_id, owner_type, runner_id, parent_id, attrs, created_at, version,
                                  last_write, next_position, records, bytes, loose_chunks, sequences, first_day, last_day)
    select f.id, f.org_id, f.owner_id, f.owner_type, f.runner_id, f.parent_id, f.attrs, f.created_at, f.version + 1,
           write_id, a.next_position, a.records, a.bytes, a.loose_chunks, a.sequences, today, today
      from unnest(appends) a
      join unnest(found) f on f.org_id = a.org_id and f.id = a.stream_id
     where f.is_open and f.version = a.version
     order by f.org_id, f.id
        on conflict (org_id, id) do update
       set version = excluded.version, last_write = write_id, next_position = excluded.next_position,
           sequences = excluded.sequences, records = s.records + excluded.records, bytes = s.bytes + excluded.bytes,
           loose_chunks = s.loose_chunks + excluded.loose_chunks,
           first_day = coalesce(s.first_day, excluded.first_day), last_day = excluded.last_day
     where s.version = excluded.version - 1
    returning s.id, s.org_id, s.bytes, s.loose_chunks
  )
  select array_agg(row(a.n, w.org_id, w.id, null, null, null, null, w.bytes, w.loose_chunks)::log_append) into written
    from saved w join unnest(appends) a on a.org_id = w.org_id and a.stream_id = w.id;
  insert into log_chunks (day, org_id, stream_id, position, records, bytes, first_at, last_at, min_severity,
                          max_severity, steps, codec, body, received_at)
  select today, a.org_id, a.stream_id, c.position, c.records, c.bytes, c.first_at, c.last_at, c.min_severity,
         c.max_severity, c.steps, 'zstd', substring(bodies from c.body_from for c.body_length), t
    from unnest(chunks) c
    join unnest(written) a on a.n = c.n;
  return query
  select a.n, case when w.n is not null then 'ok' when f.id is null then 'not-found'
                   when f.is_open then 'conflict' else 'closed' end,
         case when w.n is null then to_json(f) end, w.bytes, w.loose_chunks
    from unnest(appends) a
    left join unnest(written) w on w.n = a.n
    left join unnest(found) f on f.org_id = a.org_id and f.id = a.stream_id;
end $$;

-- Drops the middle of a stream that outgrew its limit: the first quarter and the latest records stay. Answers whether
-- anything was dropped.
create function trim_log_stream(org text, stream text, most_bytes bigint) returns boolean
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
  return true;
end $$;

-- Puts one chunk in the place of several that follow each other on one day; false when they are not as they were.
create function merge_log_chunks(org text, stream text, of_day date, positions bigint[], merged log_chunk, body bytea)
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
