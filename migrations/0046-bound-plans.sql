-- A process may bind the plans of what it runs to itself: the runner's token alone then does not read them.

alter table runner_processes add column binds_plans boolean not null default false;

-- As register_holder, for a process that binds its plans.
create function register_bound_holder(is_allowed boolean, org text, runner text, process text, process_type text,
                                      process_version text, process_serves jsonb, secret bytea, old_process text,
                                      old_secret bytea, held text[])
  returns table (woken queue_key[], orders json)
  language plpgsql as $$
begin
  return query
  select r.woken, r.orders
    from register_holder(is_allowed, org, runner, process, process_type, process_version, true, process_serves, secret,
                         old_process, old_secret, held) r;
  update runner_processes p set binds_plans = true where p.id = process;
end $$;

-- Whether all live processes of a runner bind their plans; false where none is alive.
create function is_bound(runner text) returns boolean
  language sql stable
  return coalesce((select bool_and(p.binds_plans) from runner_processes p
                    where p.runner_id = runner and p.deadline_at is not null
                      and p.status in ('pending', 'active', 'offline')), false);

-- Whether a runner's token alone may look into what an execution is about.
create function is_open_to_runner(ours boolean, process text, given_secret bytea) returns boolean
  language sql stable
  return not ours or coalesce((select not p.binds_plans or p.secret_digest = given_secret
                                 from runner_processes p where p.id = process), not ours);
