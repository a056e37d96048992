-- A takeover whose answer was lost is asked for again: by a process that was not heard of since, the same may be taken
-- over anew, as often as that happens and however close to one another.
create or replace function register_process(org text, runner text, process text, process_type text, process_version text,
                                 ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea)
  returns queue_key[]
  language plpgsql as $$
declare
  t timestamptz;
  named_process text := old_process;
begin
  if old_process is not null then
    -- The lock comes before the look: who waited for it sees the successor that another one made meanwhile.
    perform 1 from runner_processes p where p.id = named_process and p.org_id = org and p.runner_id = runner for update;
    select case when p.status = 'shut-down' then s.id else p.id end into old_process
      from runner_processes p
      left join runner_processes s on s.id = p.taken_over_by and s.first_beat_at is null and s.status <> 'shut-down'
     where p.id = named_process and p.org_id = org and p.runner_id = runner and p.secret_digest = old_secret;
    if old_process is null then
      return null;
    end if;
    perform 1 from runner_processes p where p.id = old_process for update;
  end if;
  t := svc_now();
  insert into runner_processes (id, org_id, runner_id, type, version, is_ours, serves, secret_digest, started_at,
                                created_at, updated_at, status_at, deadline_at)
  values (process, org, runner, process_type, process_version, ours, process_serves, secret, t, t, t, t,
          t + interval '60 s');
  insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at, version)
  values (process, org, runner, t, process_version);
  insert into status_history (owner_id, org_id, status, description, at) values (process, org, 'pending', 'registered', t);
  if old_process is not null then
    perform end_shutdowns(array[old_process], 'completed', 'taken over by ' || process, t);
    perform lock_queues(queues_of_runners(array[runner]));
    update runner_job_executions e set process_id = process
      from runner_job_live l
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress'
       and e.org_id = l.org_id and e.id = l.execution_id;
    update runner_job_live l set process_id = process
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress';
    update stopping_executions s set process_id = process where s.runner_id = runner and s.process_id = old_process;
    update runner_processes p set taken_over_by = process where p.id in (named_process, old_process);
    perform set_process_status(array[old_process], 'shut-down', 'taken over by ' || process, t);
  end if;
  return array(select k from refresh_runners(array[runner]) k);
end $$;
