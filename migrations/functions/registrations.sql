-- Registration of processes. The limit of processes of a runner is checked under a lock, in the statement that registers.

-- Whether the runner may have one more process. Serializes the registrations of a runner until the end of the transaction.
-- Processes that fell silent or have shut down do not count; 0 is no limit.
create or replace function may_register(runner text, takes_over text, most int) returns boolean
  language plpgsql as $$
begin
  if most = 0 or takes_over is not null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('register ' || runner, 0));
  return (select count(*) < most from runner_processes p
           where p.runner_id = runner and p.deadline_at is not null and p.status <> 'offline');
end $$;

-- Registers a process; it may take over another process with its executions. After a lost response an agent asks again: as long
-- as the successor has sent no heartbeat, it is taken over in its turn, any number of times, also concurrently.
create or replace function register_process(org text, runner text, process text, process_type text, process_version text,
                                 ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea)
  returns queue_key[]
  language plpgsql as $$
declare
  t timestamptz;
  named_process text := old_process;
begin
  if old_process is not null then
    -- Lock first, then read: a call that waited here sees the successor that the other one registered.
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
    perform move_shutdowns(array[old_process], null, 'complete', 'taken over by ' || process, t);
    perform lock_queues(queues_of_runners(array[runner]));
    update runner_job_executions e set process_id = process
      from runner_job_live l
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress'
       and e.org_id = l.org_id and e.id = l.execution_id;
    update runner_job_live l set process_id = process
     where l.runner_id = runner and l.process_id = old_process and l.status = 'in-progress';
    update stopping_executions s set process_id = process where s.runner_id = runner and s.process_id = old_process;
    update runner_processes p set taken_over_by = process where p.id in (named_process, old_process);
    perform move_processes(array[old_process], 'shut-down', 'taken over by ' || process, t);
  end if;
  return array(select k from refresh_runners(array[runner]) k);
end $$;

-- Does register_process for a process that reports which executions it holds (null: it does not report). `orders` are to stop
-- those of them that have ended; no row if is_allowed is false. An execution that it took over, that has not begun and that it
-- does not hold goes back to the queue at once, even if a heartbeat had confirmed it: its host lost it.
create or replace function register_holder(is_allowed boolean, org text, runner text, process text, process_type text, process_version text,
                                ours boolean, process_serves jsonb, secret bytea, old_process text, old_secret bytea,
                                held text[])
  returns table (woken queue_key[], orders json)
  language plpgsql as $$
declare
  t timestamptz;
  doubted text[];
  moves job_move[];
begin
  if not is_allowed then
    return;
  end if;
  woken := register_process(org, runner, process, process_type, process_version, ours, process_serves, secret,
                            old_process, old_secret);
  if woken is not null and held is not null and old_process is not null then -- the takeover has locked the runner's queues
    select array_agg(l.id::text order by l.id) into doubted
      from runner_job_live l
      join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
     where l.runner_id = runner and l.process_id = process and l.status = 'in-progress'
       and (e.confirmed_at is null or e.status = 'pending');
  end if;
  if doubted is not null then
    perform 1 from runner_job_live l where l.id = any(doubted) order by l.id for update;
    perform lock_executions(doubted);
    t := svc_now();
    update runner_job_executions e set confirmed_at = t
      from runner_job_live l
     where l.id = any(doubted) and e.org_id = l.org_id and e.id = l.execution_id and e.id = any(held)
       and e.confirmed_at is null and e.finished_at is null;
    select array_agg(row(l.id, 'return', 'not-attempted', 'broker', 'its agent started again and does not hold it',
                         null, null, null)::job_move) into moves
      from runner_job_live l
      join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
     where l.id = any(doubted) and e.status = 'pending' and not (e.id = any(held));
    if moves is not null then
      perform move_jobs(moves, t);
      woken := woken || array(select k from release_jobs(queues_of_runners(array[runner]), false, t) k);
    end if;
  end if;
  if woken is not null and cardinality(held) > 0 then
    select json_agg(o.told order by o.told ->> 'execution_id') into orders
      from held_though_over(array_fill(process, array[cardinality(held)]), held) o;
  end if;
  return next;
end $$;

-- Does register_holder for an agent that says whether it binds its plans, and how new the plans are that it reads.
create or replace function register_agent(is_allowed boolean, org text, runner text, process text, process_type text,
                               process_version text, process_serves jsonb, secret bytea, old_process text,
                               old_secret bytea, held text[], binds boolean, newest_plans int)
  returns table (woken queue_key[], orders json)
  language plpgsql as $$
begin
  return query
  select r.woken, r.orders
    from register_holder(is_allowed, org, runner, process, process_type, process_version, true, process_serves, secret,
                         old_process, old_secret, held) r;
  update runner_processes p set binds_plans = binds, reads_plans = newest_plans
   where p.id = process and (binds or newest_plans is not null);
end $$;

-- The process of a client that does not register: created once for a runner and type by the first heartbeat, and again after
-- it has shut down. No id: the runner does not exist or has reached its limit of processes.
create or replace function register_by_beat(org text, runner text, process text, process_type text, process_version text,
                                 process_serves jsonb, most int, out is_allowed boolean, out process_id text,
                                 out woken queue_key[])
  language plpgsql as $$
declare
  t timestamptz := svc_now();
begin
  woken := '{}';
  is_allowed := may_register(runner, null, most);
  select p.id into process_id from runner_processes p
   where p.org_id = org and p.runner_id = runner and p.type = process_type and p.by_beat and p.status <> 'shut-down';
  if found or not is_allowed then
    return;
  end if;
  insert into runner_processes (id, org_id, runner_id, type, version, serves, by_beat, started_at, created_at, updated_at,
                                status_at, deadline_at)
  select process, u.org_id, u.id, process_type, process_version, process_serves, true, t, t, t, t, t + interval '60 s'
    from runners u where u.org_id = org and u.id = runner and u.lifecycle <> 'deleted'
      on conflict (runner_id, type) where by_beat and status <> 'shut-down' do nothing;
  if not found then -- a concurrent first heartbeat created it
    select p.id into process_id from runner_processes p
     where p.org_id = org and p.runner_id = runner and p.type = process_type and p.by_beat and p.status <> 'shut-down';
    return;
  end if;
  process_id := process;
  insert into runner_process_beats (process_id, org_id, runner_id, last_seen_at, version)
  values (process, org, runner, t, process_version);
  insert into status_history (owner_id, org_id, status, description, at)
  values (process, org, 'pending', 'registered by its first beat', t);
  woken := array(select k from refresh_runners(array[runner]) k);
end $$;

-- Moves processes by the table of moves; those whose status does not allow the move stay unchanged.
create or replace function move_processes(process_ids text[], event text, description text, t timestamptz) returns void
  language sql as $$
  with changed as (
    update runner_processes p
       set status = process_status_after(p.status, event), status_description = description, status_at = t, updated_at = t,
           deadline_at = case when event not in ('give-up', 'shut-down') then coalesce(p.deadline_at, t) end
     where p.id = any(process_ids) and process_status_after(p.status, event) is not null
    returning p.id, p.org_id, p.status
  )
  insert into status_history (owner_id, org_id, status, description, at)
  select c.id, c.org_id, c.status, description, t from changed c;
  -- Workflows that wait for the runner look again.
  select wake_workflow(s.org_id, s.workflow_id)
    from runner_processes p join workflow_steps s on s.target_id = p.runner_id
   where event = 'beat' and p.id = any(process_ids) and s.status = 'in-progress' and s.kind = 'healthy'
$$;
