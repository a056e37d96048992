-- What a report comes to, and how an end is written, with less work a row than 0007 needs: no whole rows in arrays, a
-- report found by its place instead of by a join, one look-up where an end needs a row.

-- Reports that do not end anything: forward steps and confirmations. One row lock each, no queue.
create function step_reported(reports execution_report[], t timestamptz) returns table (
  n int, e_id text, e_org_id text, e_runner_job_id text, e_runner_id text, e_process_id text, e_holders text[],
  e_is_ours boolean, e_status text, e_status_description text, e_ended_by text, e_history jsonb,
  e_created_at timestamptz, e_deadline_at timestamptz, e_confirmed_at timestamptz, e_finished_at timestamptz,
  e_last_record bigint)
  language sql as $$
  update runner_job_executions e
     set status = case when execution_rank(r.status) > execution_rank(e.status) then r.status else e.status end,
         status_description = case when execution_rank(r.status) >= execution_rank(e.status)
                                   then coalesce(r.description, e.status_description) else e.status_description end,
         history = case when execution_rank(r.status) > execution_rank(e.status)
                        then e.history || jsonb_build_object('status', e.status, 'description', e.status_description,
                                                             'at', t) else e.history end,
         confirmed_at = coalesce(e.confirmed_at, t)
    from (select u.n, u.org_id, u.runner_id, u.job_id, u.execution_id, u.status, u.description from unnest(reports) u
           where not coalesce(u.give_back, false) and (u.status is null or execution_rank(u.status) < 4)
           order by u.execution_id) r
   where e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id and e.finished_at is null
     and (r.job_id is null or e.runner_job_id = r.job_id)
     and (e.confirmed_at is null or execution_rank(r.status) > execution_rank(e.status))
  returning r.n, e.id::text, e.org_id::text, e.runner_job_id::text, e.runner_id::text, e.process_id::text, e.holders,
            e.is_ours, e.status, e.status_description, e.ended_by, e.history, e.created_at, e.deadline_at,
            e.confirmed_at, e.finished_at, e.last_record
$$;

-- What each report comes to, read after every lock is held and before anything moves.
create function judge_taken(reports execution_report[]) returns table (
  place int, outcome text, job_id text, job_status text, event text, to_status text, end_status text, description text)
  language sql stable as $$
  select r.ordinality::int,
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
         e.runner_job_id, coalesce(l.status, d.status), x.event,
         case when x.event in ('return', 'retry') then 'queued' else r.status end,
         case when coalesce(r.give_back, false) then 'not-attempted' else r.status end, r.description
    from unnest(reports) with ordinality r
    left join runner_job_executions e on e.org_id = r.org_id and e.id = r.execution_id and e.runner_id = r.runner_id
     and (r.job_id is null or e.runner_job_id = r.job_id)
    left join runner_job_live l on l.id = e.runner_job_id
    left join runner_job_ends d on d.runner_job_id = e.runner_job_id and l.id is null
    cross join lateral (
      select case when coalesce(r.give_back, false) then 'return'
              else case r.status
                when 'finished' then 'finish' when 'failed' then 'fail' when 'not-attempted' then 'skip'
                when 'cancelled' then 'cancel'
                when 'timed-out' then case when may_retry(l, svc_now()) then 'retry' else 'expire' end end end as event) x
   order by r.ordinality
$$;

-- Ends of jobs in progress whose queues and executions the caller has locked. What goes back to its queue, or stops
-- slowly, is move_jobs' work. records: the last log records by the moves' numbers.
create function end_reported_jobs(moves job_move[], records bigint[], t timestamptz) returns void
  language plpgsql as $$
begin
  with gone as (
    delete from runner_job_live l using unnest(moves) m where l.id = m.job_id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.status, l.has_slot, l.execution_id, l.execution_count,
              l.created_at, l.started_at, l.event_tx, m.event, m.execution_status, coalesce(m.description, '') as why,
              m.ended_by, m.n
  ), ends as (
    insert into runner_job_ends (runner_job_id, org_id, status, status_description, execution_count,
                                 final_execution_id, created_at, started_at, finished_at)
    select g.id, g.org_id, g.execution_status, g.why, g.execution_count, g.execution_id, g.created_at, g.started_at, t
      from gone g
  ), ended as (
    update runner_job_executions e
       set status = g.execution_status, status_description = g.why, ended_by = g.ended_by, finished_at = t,
           history = e.history || jsonb_build_object('status', e.status, 'description', e.status_description, 'at', t),
           last_record = coalesce(e.last_record, records[g.n])
      from gone g where e.org_id = g.org_id and e.id = g.execution_id
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, description, at, tx)
    select g.org_id, g.id, g.runner_id, g.job_group, g.event, g.status, g.execution_status, g.execution_id, g.why, t,
           greatest(g.event_tx, pg_current_xact_id())
      from gone g
  )
  update runner_queues q set in_use = q.in_use - c.freed
    from (select g.runner_id, g.job_group, count(*)::int as freed from gone g where g.has_slot group by 1, 2) c
   where q.runner_id = c.runner_id and q.job_group = c.job_group;
end $$;

-- The first result and the first outputs count, whenever they come; a different later one is kept as evidence.
-- results, outputs: how many of the reports bring them.
create function keep_reports(reports execution_report[], results bigint, outputs bigint, t timestamptz) returns void
  language plpgsql as $$
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
           decode(x.sealed_contents, 'base64'), x.key_id, decode(x.fingerprint, 'hex'), t
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
    insert into runner_job_execution_outputs (execution_id, org_id, id, outputs, created_at)
    select r.execution_id, r.org_id, r.outputs_id, r.outputs, t
      from unnest(reports) r where r.outputs is not null
        on conflict do nothing;
    get diagnostics stored = row_count;
    if stored < outputs then
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, reason, created_at)
      select r.execution_id, r.org_id, 'outputs', r.outputs::jsonb, 'other outputs were stored before', t
        from unnest(reports) r
        join runner_job_execution_outputs s on s.execution_id = r.execution_id
       where r.outputs is not null and s.outputs::jsonb is distinct from r.outputs::jsonb;
    end if;
  end if;
end $$;
