-- What is large and sealed is sent ahead of the statement that stores it, in pieces and as bytes: as base64 in that
-- statement's JSON fifty megabytes took Postgres three seconds, and as much memory again for each step.

-- Unlogged: a piece lives for seconds. After a crash of Postgres there are none, and who sent them sends them again.
create unlogged table sent_pieces (
  upload_id   svc_id not null,
  n           int not null,
  org_id      svc_id not null,
  body        bytea not null,
  created_at  timestamptz not null default svc_now(),
  primary key (upload_id, n)
);
alter table sent_pieces alter column body set storage external;

create type sent_upload as (id text, bytes int);

-- All that was sent, as one; null for none. Refuses what is not all there.
create function sent_bytes(org text, upload sent_upload) returns bytea
  language plpgsql as $$
declare
  sent bytea;
begin
  if upload.id is null then
    return null;
  end if;
  select string_agg(p.body, ''::bytea order by p.n) into sent
    from sent_pieces p where p.upload_id = upload.id and p.org_id = org;
  if octet_length(sent) is distinct from upload.bytes then
    raise exception 'the pieces of % are not all there', upload.id using errcode = 'crash_shutdown';
  end if;
  return sent;
end $$;

create function plain_base64(bytes bytea) returns text
  language sql immutable return translate(encode(bytes, 'base64'), E'\n', '');

alter type new_job add attribute sent_plan sent_upload;
alter type reported_result add attribute sent_contents sent_upload;
-- Outputs that were sent ahead are an empty string beside it.
alter type execution_report add attribute sent_outputs sent_upload;

create or replace function enqueue_jobs(batch json) returns setof enqueued_job
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  jobs new_job[];
  keys queue_key[];
  outcomes text[];
  has_keys boolean;
  has_plans boolean;
  has_names boolean;
begin
  select array_agg(j), array_fill(null::text, array[max(j.request)]), bool_or(j.idempotency_key is not null),
         bool_or(num_nonnulls(j.plan, j.sealed_plan, (j.sent_plan).id) > 0), bool_or(j.plan_names <> '{}'),
         array_agg(distinct row(j.runner_id, j.job_group)::queue_key)
    into jobs, outcomes, has_keys, has_plans, has_names, keys
    from json_populate_recordset(null::new_job, batch) j;
  if has_keys then
    outcomes := claim_enqueue_keys(jobs, outcomes);
    select array_agg(distinct row(j.runner_id, j.job_group)::queue_key) into keys
      from unnest(jobs) j where outcomes[j.request] is null;
  end if;
  perform make_queues(keys);
  perform lock_queues(keys);
  -- Read after the locks: a look that finds nothing wrong spares the judgement of each.
  if has_keys or exists (
       select from (select j.org_id, j.runner_id, j.job_group, count(*) as n from unnest(jobs) j group by 1, 2, 3) d
         left join runner_queues q on q.runner_id = d.runner_id and q.job_group = d.job_group
         left join runners u on u.org_id = d.org_id and u.id = d.runner_id
        where u.lifecycle is distinct from 'enabled' or d.n + q.waiting + q.in_use > q.max_depth) then
    outcomes := check_enqueue(jobs, outcomes);
    if exists (select from unnest(outcomes) o where o is not null) then
      outcomes := refuse_repetitions(jobs, outcomes);
      delete from runner_job_enqueue_keys x using unnest(jobs) j
       where x.org_id = j.org_id and x.key = j.idempotency_key
         and outcomes[j.request] not in ('replay', 'key-reused') and j.id = any(x.job_ids);
      return query
      select distinct on (j.request, r.id) j.request, outcomes[j.request], r.id, null::text, null::timestamptz
        from unnest(jobs) j
        left join runner_job_enqueue_keys x on x.org_id = j.org_id and x.key = j.idempotency_key
        left join lateral unnest(x.job_ids) r (id) on outcomes[j.request] = 'replay'
       where outcomes[j.request] is not null;
      jobs := array(select j from unnest(jobs) j where outcomes[j.request] is null);
    end if;
  end if;
  t := svc_now();

  if has_plans then
    insert into runner_job_plans (runner_job_id, org_id, key_id, contents, names)
    select j.id, j.org_id, j.key_id,
           case when (j.sent_plan).id is not null then sent_bytes(j.org_id, j.sent_plan)
                else coalesce(decode(j.sealed_plan, 'base64'), convert_to(j.plan, 'UTF8')) end,
           j.plan_names
      from unnest(jobs) j where num_nonnulls(j.plan, j.sealed_plan, (j.sent_plan).id) > 0;
    if has_names then
      insert into runner_job_plan_names (org_id, name, runner_job_id)
      select j.org_id, n, j.id from unnest(jobs) j cross join unnest(j.plan_names) n;
    end if;
  end if;
  return query
  with facts as (
    insert into runner_jobs (id, org_id, runner_id, job_group, type, operation, owner_id, owner_type, metadata,
                             queue_timeout, available_timeout, execution_timeout, overall_timeout, max_executions,
                             stop_grace, changes_things, rerun_of, log_stream_id, created_at, created_by_id)
    select j.id, j.org_id, j.runner_id, j.job_group, j.type, j.operation, j.owner_id, j.owner_type, j.metadata,
           j.queue_timeout, j.available_timeout, j.execution_timeout, j.overall_timeout, j.max_executions,
           j.stop_grace, j.changes_things, j.rerun_of, j.log_stream_id, t, j.created_by_id
      from unnest(jobs) j
  ), placed as materialized ( -- narrow: it is read five times
    select p.*, p.place <= q.slots - q.in_use as gets_slot
      from (select j.request, j.id, j.org_id, j.runner_id, j.job_group, j.max_executions, j.overall_timeout,
                   j.queue_timeout, j.available_timeout, j.execution_timeout, j.stop_grace, j.changes_things,
                   row_number() over (partition by j.runner_id, j.job_group order by j.request, j.id) as place
              from unnest(jobs) j) p
      join runner_queues q using (runner_id, job_group)
  ), live as (
    insert into runner_job_live (id, org_id, runner_id, job_group, status, has_slot, max_executions, created_at,
                                 status_at, overall_at, deadline_at, queue_timeout, available_timeout,
                                 execution_timeout, stop_grace, changes_things)
    select p.id, p.org_id, p.runner_id, p.job_group, case when p.gets_slot then 'available' else 'queued' end,
           p.gets_slot, p.max_executions, t, t, t + ns(p.overall_timeout),
           t + ns(least(p.overall_timeout, case when p.gets_slot then p.available_timeout else p.queue_timeout end)),
           p.queue_timeout, p.available_timeout, p.execution_timeout, p.stop_grace, p.changes_things
      from placed p
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at)
    select p.org_id, p.id, p.runner_id, p.job_group, e.event, e.from_status, e.to_status, t
      from placed p
      join (values ('enqueue', '', 'queued'), ('release', 'queued', 'available')) e (event, from_status, to_status)
        on e.event = 'enqueue' or p.gets_slot
     order by p.request, p.id, e.event
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.slots, waiting = q.waiting + c.waiting
      from (select p.runner_id, p.job_group, count(*) filter (where p.gets_slot) as slots,
                   count(*) filter (where not p.gets_slot) as waiting
              from placed p group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select p.request, 'enqueued', p.id, case when p.gets_slot then 'available' else 'queued' end, t
    from placed p order by p.request, p.id;
end $$;

create or replace function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, key_id, reason, created_at)
  select r.execution_id, r.org_id, 'result',
         case when (x.sent_contents).id is null then r.result::jsonb
              else r.result::jsonb - 'sent_contents'
                   || jsonb_build_object('sealed_contents', plain_base64(sent_bytes(r.org_id, x.sent_contents))) end,
         x.key_id, 'another result was stored before', t
    from unnest(reports) r
   cross join lateral json_populate_record(null::reported_result, r.result) x
    join runner_job_execution_results s on s.execution_id = r.execution_id
   where r.result is not null
     and (s.success, s.error_code, s.error_metadata, s.contents, s.contents_display, s.contents_gzip,
          s.contents_display_gzip, s.fingerprint) is distinct from
         (coalesce(x.success, false), coalesce(x.error_code, 0), coalesce(x.error_metadata, '{}'), x.contents,
          x.contents_display, decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'),
          decode(x.fingerprint, 'hex'))
$$;

create or replace function keep_reports(reports execution_report[], results bigint, outputs bigint, t timestamptz)
  returns void language plpgsql as $$
#variable_conflict use_column
declare
  stored bigint;
begin
  if results > 0 then
    insert into runner_job_execution_results (execution_id, org_id, id, success, error_code, error_metadata,
           composite_error, contents, contents_display, contents_gzip, contents_display_gzip, sealed_contents, key_id,
           fingerprint, created_at)
    select r.execution_id, r.org_id, r.result_id, coalesce(x.success, false), coalesce(x.error_code, 0),
           coalesce(x.error_metadata, '{}'), x.composite_error, x.contents, x.contents_display,
           decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'),
           case when (x.sent_contents).id is not null then sent_bytes(r.org_id, x.sent_contents)
                else decode(x.sealed_contents, 'base64') end,
           x.key_id, decode(x.fingerprint, 'hex'), t
      from unnest(reports) r
     cross join lateral json_populate_record(null::reported_result, r.result) x
     where r.result is not null
        on conflict do nothing;
    get diagnostics stored = row_count;
    if stored < results then
      perform keep_other_results(reports, t);
    end if;
  end if;
  if outputs > 0 then
    insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, sealed_outputs, key_id, fingerprint,
           created_at)
    select r.execution_id, r.org_id, r.outputs_id, case when r.outputs_key_id is null then r.outputs end,
           case when (r.sent_outputs).id is not null then sent_bytes(r.org_id, r.sent_outputs)
                when r.outputs_key_id is not null then decode(r.outputs #>> '{}', 'base64') end,
           r.outputs_key_id,
           decode(r.outputs_fingerprint, 'hex'), t
      from unnest(reports) r where r.outputs is not null
        on conflict do nothing;
    get diagnostics stored = row_count;
    if stored < outputs then
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, key_id, reason, created_at)
      select r.execution_id, r.org_id, 'outputs',
             case when (r.sent_outputs).id is null then r.outputs::jsonb
                  else to_jsonb(plain_base64(sent_bytes(r.org_id, r.sent_outputs))) end,
             r.outputs_key_id,
             'other outputs were stored before', t
        from unnest(reports) r
        join runner_job_execution_outputs s on s.execution_id = r.execution_id
       where r.outputs is not null
         and (s.outputs::jsonb, s.fingerprint) is distinct from
             (case when r.outputs_key_id is null then r.outputs::jsonb end, decode(r.outputs_fingerprint, 'hex'));
    end if;
  end if;
end $$;
