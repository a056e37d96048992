-- Registers as register_process does a process whose host says what it holds (null: it does not say). `orders` tells what
-- of that is over; no row where it is not allowed. What it took over, has not begun and does not hold is nobody's,
-- though a beat may have named it before its host lost it: it goes back at once.
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
  if woken is not null and held is not null and old_process is not null then -- it holds the locks of the runner's queues
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
