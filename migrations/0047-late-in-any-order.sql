-- What an execution printed that the broker ended while it ran is late a minute after its end, also when its agent has told
-- meanwhile how many records there are: whichever comes first, the end or the log, late records are marked alike.
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
