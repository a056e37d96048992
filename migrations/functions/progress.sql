-- Progress of executions, in steps that their processes name: in tables of its own, so that hot rows are not written.

-- Updates steps by name and appends new ones, up to `most`. Only for an execution that runs or ended less than ten minutes ago.
-- outcome: kept · ended · not-found
create or replace function keep_progress(org text, runner text, job text, execution text, given json, most int)
  returns table (outcome text, steps int, is_full boolean) language plpgsql as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  ended timestamptz;
  known int;
  fresh int;
begin
  select e.finished_at into ended from runner_job_executions e
   where e.org_id = org and e.id = execution and e.runner_job_id = job and e.runner_id = coalesce(runner, e.runner_id);
  if not found then
    return query select 'not-found', 0, false;
    return;
  elsif ended < t - interval '10 min' then
    return query select 'ended', 0, false;
    return;
  end if;
  insert into runner_job_execution_progress as p (execution_id, org_id, updated_at) values (execution, org, t)
      on conflict (execution_id) do update set updated_at = t
  returning p.steps into known; -- locks the row, which serializes concurrent calls

  update runner_job_execution_steps s
     set status = g.status, detail = coalesce(g.detail, s.detail),
         started_at = coalesce(g.started_at, s.started_at, case when g.status <> 'pending' then t end),
         ended_at = case when g.status in ('pending', 'in-progress') then null else coalesce(g.ended_at, s.ended_at, t) end
    from json_populate_recordset(null::runner_job_execution_steps, given) g
   where s.execution_id = execution and s.name = g.name
     and (s.status, s.detail, s.started_at, s.ended_at) is distinct from
         (g.status, coalesce(g.detail, s.detail), coalesce(g.started_at, s.started_at), coalesce(g.ended_at, s.ended_at));

  select count(*) into fresh from json_populate_recordset(null::runner_job_execution_steps, given) g
   where not exists (select from runner_job_execution_steps s where s.execution_id = execution and s.name = g.name);
  insert into runner_job_execution_steps (execution_id, name, org_id, n, status, detail, started_at, ended_at)
  select execution, g.name, org, known + row_number() over (order by g.n), g.status, coalesce(g.detail, ''),
         coalesce(g.started_at, case when g.status <> 'pending' then t end),
         case when g.status not in ('pending', 'in-progress') then coalesce(g.ended_at, t) end
    from json_populate_recordset(null::runner_job_execution_steps, given) g
   where not exists (select from runner_job_execution_steps s where s.execution_id = execution and s.name = g.name)
   order by g.n limit greatest(most - known, 0);
  return query
  update runner_job_execution_progress p
     set steps = least(known + fresh, greatest(most, known)), is_full = p.is_full or known + fresh > most
   where p.execution_id = execution
  returning 'kept', p.steps, p.is_full;
end $$;
