-- Reports, with no statement for what a batch does not hold. report_executions stays for brokers of the version before.

-- Each execution at most once a call. Answers one row a report, with its execution as it is now (none: not-found), and
-- one 'wake' row a queue that has something to offer; the same report may be answered twice, the later row counts.
create function take_reports(batch json) returns table (
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
         bool_or(coalesce(r.give_back, false) or coalesce(execution_rank(r.status) = 4, false)),
         bool_or(not coalesce(r.give_back, false) and coalesce(execution_rank(r.status) < 4, true)),
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
       offset 0) q -- a fence: every report finds its own way through two keys
     where execution_rank(r.status) = 4 or r.give_back;
    if keys is not null then
      perform lock_queues(keys);
      perform 1 from runner_job_executions e join unnest(reports) r on e.org_id = r.org_id and e.id = r.execution_id
        order by e.id for no key update of e;
    end if;
  end if;
  t := svc_now();

  if steps then -- before the judgement: their row locks hold ends off
    if not ends and results + outputs = 0 and coalesce(cardinality(array_remove(records, null)), 0) = 0 then
      return query
      select s.n, 'ok', 'in-progress', null::text, s.e_id, s.e_org_id, s.e_runner_job_id, s.e_runner_id,
             s.e_process_id, s.e_holders, s.e_is_ours, s.e_status, s.e_status_description, s.e_ended_by, s.e_history,
             s.e_created_at, s.e_deadline_at, s.e_confirmed_at, s.e_finished_at, s.e_last_record
        from step_reported(reports, t) s;
      get diagnostics taken = row_count;
      if taken = cardinality(reports) then
        return;
      end if;
    else
      perform step_reported(reports, t);
    end if;
  end if;

  select array_agg(j.outcome), array_agg(case when j.outcome = 'ok' and j.event is not null then j.to_status
                                              else j.job_status end),
         -- who gave a job back must not go on with it: a later report of that execution is refused
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
    perform end_reported_jobs(moves, records, t);
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
     where outcomes[r.ordinality] in ('ended', 'differs') and execution_rank(r.status) = 4;
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
