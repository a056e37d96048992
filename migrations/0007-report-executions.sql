-- What processes say of their executions: status, result, outputs, the end.

create type execution_report as (
  n int, org_id text, runner_id text, job_id text, execution_id text,
  status text, description text, last_record bigint,
  give_back boolean,
  result json, outputs json, result_id text, outputs_id text
);

-- outcome: ok · unchanged · not-found · backwards · ended · differs · needs-result · too-late-to-give-back · wake
create type reported_execution as (
  n int, outcome text, job_id text, job_status text, runner_id text, job_group text, execution runner_job_executions
);

create function execution_rank(status text) returns int
  language sql immutable parallel safe
  return case when status is null then null when status = 'pending' then 0 when status = 'initializing' then 1
              when status = 'in-progress' then 2 when status = 'cleaning-up' then 3 else 4 end;

-- Whether an attempt remains, and time for it.
create function may_retry(l runner_job_live, t timestamptz) returns boolean
  language sql stable
  return l.execution_count < l.max_executions
     and l.overall_at - t >= least(ns(l.execution_timeout), interval '60 s');

create type reported_result as (
  success boolean, error_code int, error_metadata jsonb, composite_error jsonb, contents text, contents_display text,
  contents_gzip text, contents_display_gzip text -- base64
);

create function keep_other_results(reports execution_report[], t timestamptz) returns void
  language sql as $$
  insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
  select r.execution_id, r.org_id, 'result', r.result::jsonb, 'another result was stored before', t
    from unnest(reports) r
   cross join lateral json_populate_record(null::reported_result, r.result) x
    join runner_job_execution_results s on s.execution_id = r.execution_id
   where r.result is not null
     and (s.success, s.error_code, s.error_metadata, s.contents, s.contents_display, s.contents_gzip,
          s.contents_display_gzip) is distinct from
         (coalesce(x.success, false), coalesce(x.error_code, 0), coalesce(x.error_metadata, '{}'), x.contents,
          x.contents_display, decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'))
$$;

-- The first result and the first outputs count, whenever they come; a different later one is kept as evidence.
create function store_results(reports execution_report[], t timestamptz) returns void
  language plpgsql as $$
declare
  given int;
  stored int;
begin
  select count(*) into given from unnest(reports) r where r.result is not null;
  insert into runner_job_execution_results (execution_id, org_id, id, success, error_code, error_metadata,
         composite_error, contents, contents_display, contents_gzip, contents_display_gzip, created_at)
  select r.execution_id, r.org_id, r.result_id, coalesce(x.success, false), coalesce(x.error_code, 0),
         coalesce(x.error_metadata, '{}'), x.composite_error, x.contents, x.contents_display,
         decode(x.contents_gzip, 'base64'), decode(x.contents_display_gzip, 'base64'), t
    from unnest(reports) r
   cross join lateral json_populate_record(null::reported_result, r.result) x
   where r.result is not null
      on conflict do nothing;
  get diagnostics stored = row_count;
  if stored < given then
    perform keep_other_results(reports, t);
  end if;

  select count(*) into given from unnest(reports) r where r.outputs is not null;
  insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
  select r.execution_id, r.org_id, r.outputs_id, r.outputs, t
    from unnest(reports) r where r.outputs is not null
      on conflict do nothing;
  get diagnostics stored = row_count;
  if stored < given then
    insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
    select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb, 'other outputs were stored before', t
      from unnest(reports) r
      join runner_job_execution_outputs s on s.execution_id = r.execution_id
     where r.outputs is not null and s.outputs::jsonb is distinct from r.outputs::jsonb;
  end if;
end $$;

-- Reports that do not end anything: forward steps and confirmations. One row lock each, no queue.
create function step_executions(reports execution_report[], t timestamptz) returns setof reported_execution
  language sql as $$
  update runner_job_executions e
     set status = case when execution_rank(r.status) > execution_rank(e.status) then r.status else e.status end,
         status_description = case when execution_rank(r.status) >= execution_rank(e.status)
                                   then coalesce(r.description, e.status_description) else e.status_description end,
         history = case when execution_rank(r.status) > execution_rank(e.status)
                        then e.history || jsonb_build_object('status', e.status, 'description', e.status_description,
                                                             'at', t) else e.history end,
         confirmed_at = coalesce(e.confirmed_at, t)
    from (select * from unnest(reports) u
           where not coalesce(u.give_back, false) and (u.status is null or execution_rank(u.status) < 4)
           order by u.execution_id) r
   where e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id and e.finished_at is null
     and (r.job_id is null or e.runner_job_id = r.job_id)
     and (e.confirmed_at is null or execution_rank(r.status) > execution_rank(e.status))
  returning r.n, 'ok', e.runner_job_id::text, 'in-progress', e.runner_id::text, null::text, e
$$;

-- What each report comes to, read after every lock is held and before anything moves.
create function judge_reports(reports execution_report[]) returns table (
  n int, outcome text, job_id text, job_status text, runner_id text, job_group text, event text, end_status text,
  description text, execution runner_job_executions)
  language sql stable as $$
  select r.n,
         case
           when e.id is null then 'not-found'
           when r.status is null and not coalesce(r.give_back, false) then 'ok'
           when e.finished_at is not null and r.status = e.status then 'unchanged'
           when e.finished_at is not null and coalesce(r.give_back, false)
             then case e.status when 'not-attempted' then 'unchanged' else 'ended' end
           when e.finished_at is not null and execution_rank(r.status) < 4
             then case e.ended_by when 'client' then 'unchanged' else 'ended' end
           when e.finished_at is not null then case e.ended_by when 'client' then 'differs' else 'ended' end
           when coalesce(r.give_back, false) and execution_rank(e.status) > 1 then 'too-late-to-give-back'
           when execution_rank(r.status) < execution_rank(e.status) then 'backwards'
           when r.status = 'finished' and e.is_ours and r.result is null -- an agent of ours always has one
                and not exists (select from runner_job_execution_results s where s.execution_id = e.id)
             then 'needs-result'
           else 'ok' end,
         e.runner_job_id, coalesce(l.status, d.status), l.runner_id, l.job_group,
         case when coalesce(r.give_back, false) then 'return'
              else case r.status
                when 'finished' then 'finish' when 'failed' then 'fail' when 'not-attempted' then 'skip'
                when 'cancelled' then 'cancel'
                when 'timed-out' then case when may_retry(l, svc_now()) then 'retry' else 'expire' end end end,
         case when coalesce(r.give_back, false) then 'not-attempted' else r.status end,
         r.description, e
    from unnest(reports) r
    left join runner_job_executions e on e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id
     and (r.job_id is null or e.runner_job_id = r.job_id)
    left join runner_job_live l on l.id = e.runner_job_id
    left join runner_job_ends d on d.runner_job_id = e.runner_job_id
$$;

-- Results, outputs and what came too late, of every report of a known execution.
create function keep_reported(reports execution_report[], answers reported_execution[], t timestamptz) returns void
  language plpgsql as $$
begin
  if exists (select from unnest(reports) r where r.result is not null or r.outputs is not null) then
    perform store_results(array(select r from unnest(reports) r join unnest(answers) a using (n)
                                 where a.outcome not in ('not-found', 'needs-result')), t);
  end if;
  if exists (select from unnest(reports) r where r.last_record is not null) then
    update runner_job_executions e set last_record = r.last_record
      from unnest(reports) r join unnest(answers) a using (n)
     where a.outcome <> 'not-found' and e.org_id = r.org_id and e.id = r.execution_id
       and r.last_record is not null and e.last_record is null;
  end if;
  if exists (select from unnest(answers) a where a.outcome in ('ended', 'differs')) then
    insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
    select r.execution_id, r.org_id, 'status', jsonb_build_object('status', r.status, 'description', r.description),
           case a.outcome when 'ended' then 'the broker had ended this execution'
                          else 'another end was reported before' end, t
      from unnest(reports) r join unnest(answers) a using (n)
     where a.outcome in ('ended', 'differs') and execution_rank(r.status) = 4;
  end if;
end $$;

-- Each execution at most once a call; answers one row a report and one 'wake' row a queue with something to offer.
create function report_executions(batch json) returns setof reported_execution
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  reports execution_report[];
  keys queue_key[];
  moves job_move[];
  answers reported_execution[];
  unmoved int[];
  stepped reported_execution[];
begin
  select array_agg(r) into reports from json_populate_recordset(null::execution_report, batch) r;
  select array_agg(distinct row(q.runner_id::text, q.job_group)::queue_key) into keys
    from unnest(reports) r
   cross join lateral (
     select l.runner_id, l.job_group
       from runner_job_executions e join runner_job_live l on l.id = e.runner_job_id
      where e.org_id = r.org_id and e.id = r.execution_id and e.finished_at is null
     offset 0) q -- a fence: every report finds its own way through two keys
   where execution_rank(r.status) = 4 or r.give_back;
  if keys is not null then
    perform lock_queues(keys);
    perform 1 from runner_job_executions e join unnest(reports) r on e.org_id = r.org_id and e.id = r.execution_id
      order by e.id for no key update of e;
  end if;
  t := svc_now();
  stepped := array(select a from step_executions(reports, t) a); -- before the judgement: its row locks hold ends off
  if keys is null and cardinality(stepped) = cardinality(reports)
     and not exists (select from unnest(reports) r
                      where r.result is not null or r.outputs is not null or r.last_record is not null) then
    return query select * from unnest(stepped);
    return;
  end if;
  with judged as materialized (select * from judge_reports(reports))
  select array_agg(row(u.n, u.outcome, u.job_id, u.job_status, u.runner_id, u.job_group,
                       u.execution)::reported_execution),
         -- who gave a job back must not go on with it: a later report of that execution is refused
         array_agg(row(u.job_id, u.event, u.end_status, case u.event when 'return' then 'broker' else 'client' end,
                       u.description, null, null, u.n)::job_move)
           filter (where u.outcome = 'ok' and u.event is not null),
         array_agg(u.n) filter (where u.outcome <> 'ok' or u.event is null)
    into answers, moves, unmoved
    from judged u;
  perform keep_reported(reports, answers, t);
  if moves is not null then
    return query
    select m.n, 'ok', m.job_id, m.to_status, m.runner_id, m.job_group, m.execution from move_jobs(moves, t) m;
    return query
    select -1, 'wake', null::text, null::text, k.runner_id, k.job_group, null::runner_job_executions
      from release_jobs(keys, false, t) k;
  end if;
  if unmoved is not null then
    return query select a.* from unnest(answers) a where a.n = any(unmoved);
  end if;
end $$;
