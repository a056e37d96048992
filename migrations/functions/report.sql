-- Reports of processes on their executions: status, result, outputs, the end. This is the hot path: a batch runs no statement
-- for what it does not contain, arrays hold no whole rows, a report is found by its index instead of a join, and an end
-- looks each row up once.

-- Each execution at most once a call. Returns a row for each report, with its execution as it is now (none: not-found), and a
-- 'wake' row for each queue whose polls are to look again. A report may get two rows; the later one counts.
-- outcome: ok · unchanged · not-found · backwards · ended · differs · needs-result · too-late-to-give-back · wake
create or replace function take_reports(batch json) returns table (
  n int, outcome text, job_status text, wakes_runner_id text,
  id text, org_id text, runner_job_id text, runner_id text, process_id text, holders text[], is_ours boolean,
  status text, status_description text, ended_by text, history jsonb, created_at timestamptz, deadline_at timestamptz,
  confirmed_at timestamptz, finished_at timestamptz, last_record bigint)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz;
  reports execution_report[];
  ends boolean;
  steps boolean;
  results bigint;
  outputs bigint;
  known execution_report[];
  records bigint[];
  keys queue_key[];
  outcomes text[];
  job_statuses text[];
  moves job_move[];
  goes_back boolean;
  is_late boolean;
  taken int;
begin
  select array_agg(r order by r.n),
         bool_or(coalesce(r.give_back, false) or is_execution_end(r.status)),
         bool_or(not coalesce(r.give_back, false) and not is_execution_end(r.status)),
         count(r.result), count(r.outputs), array_agg(r.last_record order by r.n)
    into reports, ends, steps, results, outputs, records
    from json_populate_recordset(null::execution_report, batch) r;

  if ends then
    select array_agg(distinct row(q.runner_id::text, q.job_group)::queue_key) into keys
      from unnest(reports) r
     cross join lateral (
       select l.runner_id, l.job_group
         from runner_job_executions e join runner_job_live l on l.id = e.runner_job_id
        where e.org_id = r.org_id and e.id = r.execution_id and e.finished_at is null
       offset 0) q -- keeps the planner to two index look-ups for each report
     where is_execution_end(r.status) or r.give_back;
    if keys is not null then
      perform lock_queues(keys);
      perform 1 from runner_job_executions e join unnest(reports) r on e.org_id = r.org_id and e.id = r.execution_id
        order by e.id for no key update of e;
    end if;
  end if;
  t := svc_now();

  if steps then -- before judge_taken: their row locks hold off concurrent ends
    -- Forward steps and confirmations: one row lock each, no queue lock. Not in an SQL function of its own: up to Postgres 17
    -- that is planned again at each call, which costs three times as much as the update.
    return query
    update runner_job_executions e
       set status = coalesce(execution_status_after(e.status, r.event), e.status),
           status_description = case when r.status = e.status or execution_status_after(e.status, r.event) is not null
                                     then coalesce(r.description, e.status_description) else e.status_description end,
           history = case when execution_status_after(e.status, r.event) is not null
                          then e.history || jsonb_build_object('status', e.status, 'description', e.status_description,
                                                               'at', t) else e.history end,
           confirmed_at = coalesce(e.confirmed_at, t)
      from (select u.n, u.org_id, u.runner_id, u.job_id, u.execution_id, u.status, u.description,
                   execution_event(u.status) as event
              from unnest(reports) u
             where not coalesce(u.give_back, false) and not is_execution_end(u.status)
             order by u.execution_id) r
     where e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id and e.finished_at is null
       and (r.job_id is null or e.runner_job_id = r.job_id)
       and (e.confirmed_at is null or execution_status_after(e.status, r.event) is not null)
    returning r.n, 'ok', 'in-progress', null::text, e.id::text, e.org_id::text, e.runner_job_id::text, e.runner_id::text,
              e.process_id::text, e.holders, e.is_ours, e.status, e.status_description, e.ended_by, e.history,
              e.created_at, e.deadline_at, e.confirmed_at, e.finished_at, e.last_record;
    get diagnostics taken = row_count;
    if taken = cardinality(reports) and results + outputs = 0
       and coalesce(cardinality(array_remove(records, null)), 0) = 0 then
      return; -- none of them ends anything
    end if;
  end if;

  select array_agg(j.outcome), array_agg(case when j.outcome = 'ok' and j.event is not null then j.to_status
                                              else j.job_status end),
         -- after a give-back the process must not continue: its later reports of that execution are refused
         array_agg(row(j.job_id, j.event, j.end_status, case j.event when 'return' then 'broker' else 'client' end,
                       j.description, null, null, j.place)::job_move)
           filter (where j.outcome = 'ok' and j.event is not null),
         bool_or(j.outcome = 'ok' and coalesce(j.event in ('return', 'retry'), false)),
         bool_or(j.outcome in ('ended', 'differs'))
    into outcomes, job_statuses, moves, goes_back, is_late
    from judge_taken(reports) j;
  if outcomes && array['not-found', 'needs-result'] then
    known := array(select reports[o.place] from unnest(outcomes) with ordinality o (outcome, place)
                    where o.outcome not in ('not-found', 'needs-result'));
    select count(r.result), count(r.outputs) into results, outputs from unnest(known) r;
    perform keep_reports(known, results, outputs, t);
  elsif results + outputs > 0 then
    perform keep_reports(reports, results, outputs, t);
  end if;
  if moves is not null and not goes_back then
    perform block_half_done(moves, t);
    perform write_ends(moves, records, t);
  elsif moves is not null then
    perform move_jobs(moves, t);
  end if;
  if cardinality(array_remove(records, null)) > 0 then
    update runner_job_executions e set last_record = r.last_record
      from unnest(reports) with ordinality r
     where outcomes[r.ordinality] <> 'not-found' and e.org_id = r.org_id and e.id = r.execution_id
       and r.last_record is not null and e.last_record is null;
  end if;
  if is_late then
    insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
    select r.execution_id, r.org_id, 'status', jsonb_build_object('status', r.status, 'description', r.description),
           case outcomes[r.ordinality] when 'ended' then 'the broker had ended this execution'
                                       else 'another end was reported before' end, t
      from unnest(reports) with ordinality r
     where outcomes[r.ordinality] in ('ended', 'differs') and is_execution_end(r.status);
  end if;

  return query
  select r.n, outcomes[r.ordinality], job_statuses[r.ordinality], null::text,
         e.id::text, e.org_id::text, e.runner_job_id::text, e.runner_id::text, e.process_id::text, e.holders, e.is_ours,
         e.status, e.status_description, e.ended_by, e.history, e.created_at, e.deadline_at, e.confirmed_at,
         e.finished_at, e.last_record
    from unnest(reports) with ordinality r
    left join runner_job_executions e
      on e.org_id = r.org_id and e.id = r.execution_id and outcomes[r.ordinality] <> 'not-found';
  if moves is not null then
    return query
    select -1, 'wake', null::text, k.runner_id, null::text, null::text, null::text, null::text, null::text,
           null::text[], null::boolean, null::text, null::text, null::text, null::jsonb, null::timestamptz,
           null::timestamptz, null::timestamptz, null::timestamptz, null::bigint
      from release_jobs(keys, false, t) k;
  end if;
end $$;

-- Whether attempts remain, and enough time for one.
create or replace function may_retry(l runner_job_live, t timestamptz) returns boolean
  language sql stable
  return l.execution_count < l.max_executions
     and l.overall_at - t >= least(ns(l.execution_timeout), interval '60 s');

-- The outcome of each report. Called after all locks are taken and before any move.
create or replace function judge_taken(reports execution_report[]) returns table (
  place int, outcome text, job_id text, job_status text, event text, to_status text, end_status text, description text)
  language sql stable as $$
  select r.ordinality::int,
         case
           when e.id is null then 'not-found'
           when r.status is null and not coalesce(r.give_back, false) then 'ok'
           when e.finished_at is not null and r.status = e.status then 'unchanged'
           when e.finished_at is not null and coalesce(r.give_back, false)
             then case e.status when 'not-attempted' then 'unchanged' else 'ended' end
           when e.finished_at is not null and not is_execution_end(r.status)
             then case e.ended_by when 'client' then 'unchanged' else 'ended' end
           when e.finished_at is not null then case e.ended_by when 'client' then 'differs' else 'ended' end
           when coalesce(r.give_back, false) and execution_status_after(e.status, 'return') is null
             then 'too-late-to-give-back'
           when r.status <> e.status and execution_status_after(e.status, execution_event(r.status)) is null
             then 'backwards'
           when r.status = 'finished' and e.is_ours and r.result is null -- our agent always sends one
                -- not "exists": while tables are new, it is planned as a scan of all results
                and (select true from runner_job_execution_results s where s.execution_id = e.id) is null
             then 'needs-result'
           else 'ok' end,
         e.runner_job_id, coalesce(l.status, d.status), x.event,
         job_status_after(l.status, x.event),
         case when coalesce(r.give_back, false) then 'not-attempted' else r.status end, r.description
    from unnest(reports) with ordinality r
    left join runner_job_executions e on e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id
     and (r.job_id is null or e.runner_job_id = r.job_id)
    left join runner_job_live l on l.id = e.runner_job_id
    left join runner_job_ends d on d.runner_job_id = e.runner_job_id and l.id is null
    cross join lateral (
      select case when coalesce(r.give_back, false) then 'return'
                  when r.status = 'timed-out' and may_retry(l, svc_now()) then 'retry'
                  when is_execution_end(r.status) then execution_event(r.status) end as event) x
   order by r.ordinality
$$;

-- The first result and the first outputs count, whenever they come; a different later one is kept as evidence.
-- results, outputs: how many of the reports have them.
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
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, sealed, key_id, reason, created_at)
      select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb,
             case when (r.sent_outputs).id is not null then sent_bytes(r.org_id, r.sent_outputs) end,
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

create or replace function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, sealed, key_id, reason, created_at)
  select r.execution_id, r.org_id, 'result', r.result::jsonb - 'sent_contents',
         case when (x.sent_contents).id is not null then sent_bytes(r.org_id, x.sent_contents) end,
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
