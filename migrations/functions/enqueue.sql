-- Whether a job does what somebody wants done, without a workflow that others could approve. An order to the runner itself does not.
create or replace function is_by_hand(job new_job) returns boolean
  language sql immutable
  return job.workflow_id is null and job.type not like 'mng-%' and job.type not in ('shut-down', 'update-version');

-- Enqueues jobs. One call carries one batch (all or none) or many single jobs.
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
  -- After the locks: most calls pass this one query and skip the check of each job.
  if has_keys or exists (
       select from (select j.org_id, j.runner_id, j.job_group, count(*) as n, bool_or(is_by_hand(j)) as is_by_hand
                      from unnest(jobs) j group by 1, 2, 3) d
         left join runner_queues q on q.runner_id = d.runner_id and q.job_group = d.job_group
         left join runners u on u.org_id = d.org_id and u.id = d.runner_id
         left join orgs o on o.id = d.org_id
        where u.lifecycle is distinct from 'enabled' or d.n + q.waiting + q.in_use > q.max_depth
           or d.is_by_hand and o.prevent_self_approval) then
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
                             stop_grace, changes_things, rerun_of, log_stream_id, created_at, created_by_id, workflow_id,
                             workflow_step_id, step_job_idx)
    select j.id, j.org_id, j.runner_id, j.job_group, j.type, j.operation, j.owner_id, j.owner_type, j.metadata,
           j.queue_timeout, j.available_timeout, j.execution_timeout, j.overall_timeout, j.max_executions,
           j.stop_grace, j.changes_things, j.rerun_of, j.log_stream_id, t, j.created_by_id, j.workflow_id, j.workflow_step_id,
           j.step_job_idx
      from unnest(jobs) j
  ), placed as materialized ( -- narrow: it is read five times
    select p.*, p.place <= q.slots - q.in_use as gets_slot,
           case when p.place <= q.slots - q.in_use then job_status_after('queued', 'release')
                else job_status_after('', 'enqueue') end as status
      from (select j.request, j.id, j.org_id, j.runner_id, j.job_group, j.max_executions, j.overall_timeout,
                   j.queue_timeout, j.available_timeout, j.execution_timeout, j.stop_grace, j.changes_things, j.signal_id, j.workflow_id,
                   row_number() over (partition by j.runner_id, j.job_group order by j.request, j.id) as place
              from unnest(jobs) j) p
      join runner_queues q using (runner_id, job_group)
  ), live as (
    insert into runner_job_live (id, org_id, runner_id, job_group, status, has_slot, max_executions, created_at,
                                 status_at, overall_at, deadline_at, queue_timeout, available_timeout,
                                 execution_timeout, stop_grace, changes_things, signal_id, workflow_id)
    select p.id, p.org_id, p.runner_id, p.job_group, p.status, p.gets_slot, p.max_executions, t, t, t + ns(p.overall_timeout),
           t + ns(least(p.overall_timeout, case when p.gets_slot then p.available_timeout else p.queue_timeout end)),
           p.queue_timeout, p.available_timeout, p.execution_timeout, p.stop_grace, p.changes_things, p.signal_id, p.workflow_id
      from placed p
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at)
    select p.org_id, p.id, p.runner_id, p.job_group, e.event, e.from_status, e.to_status, t
      from placed p
      join (values ('enqueue', '', job_status_after('', 'enqueue')),
                   ('release', 'queued', job_status_after('queued', 'release'))) e (event, from_status, to_status)
        on e.event = 'enqueue' or p.gets_slot
     order by p.request, p.id, e.event
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.slots, waiting = q.waiting + c.waiting
      from (select p.runner_id, p.job_group, count(*) filter (where p.gets_slot) as slots,
                   count(*) filter (where not p.gets_slot) as waiting
              from placed p group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select p.request, 'enqueued', p.id, p.status, t
    from placed p order by p.request, p.id;
end $$;

-- Stores idempotency keys: the first request writes its key, a repeated one gets the jobs of the first.
create or replace function claim_enqueue_keys(jobs new_job[], inout outcomes text[]) returns text[]
  language plpgsql as $$
declare
  k record;
begin
  for k in
    with asked as (
      select j.request, min(j.org_id) as org_id, min(j.idempotency_key) as key,
             min(j.fingerprint) as fingerprint, array_agg(j.id order by j.id) as ids
        from unnest(jobs) j where j.idempotency_key is not null group by j.request
    ), first as (
      insert into runner_job_enqueue_keys (org_id, key, fingerprint, job_ids, created_at)
      select distinct on (a.org_id, a.key) a.org_id, a.key, decode(a.fingerprint, 'hex'), a.ids, svc_now()
        from asked a order by a.org_id, a.key, a.request
      on conflict do nothing returning job_ids
    )
    select a.* from asked a where not exists (select from first f where f.job_ids = a.ids)
  loop
    outcomes[k.request] := (
      select case when x.fingerprint = decode(k.fingerprint, 'hex') then 'replay' else 'key-reused' end
        from runner_job_enqueue_keys x where x.org_id = k.org_id and x.key = k.key);
  end loop;
end $$;

create or replace function check_enqueue(jobs new_job[], inout outcomes text[]) returns text[]
  language plpgsql as $$
declare
  r record;
begin
  for r in
    select distinct j.request, case when u.id is null then 'no-runner' else 'runner-' || u.lifecycle end as outcome
      from unnest(jobs) j
      left join runners u on u.org_id = j.org_id and u.id = j.runner_id and u.lifecycle <> 'deleted'
     where u.id is null or u.lifecycle <> 'enabled'
  loop
    outcomes[r.request] := coalesce(outcomes[r.request], r.outcome);
  end loop;
  for r in
    select distinct j.request
      from unnest(jobs) j
      join orgs o on o.id = j.org_id and o.prevent_self_approval
      join runners u on u.org_id = j.org_id and u.id = j.runner_id
      join installs i on i.runner_group_id = u.runner_group_id and i.deleted_at is null
     where is_by_hand(j)
  loop
    outcomes[r.request] := coalesce(outcomes[r.request], 'self-approval');
  end loop;
  for r in
    select distinct d.request
      from (select j.request, j.runner_id, j.job_group,
                   row_number() over (partition by j.runner_id, j.job_group order by j.request, j.id) as place
              from unnest(jobs) j where outcomes[j.request] is null) d
      join runner_queues q using (runner_id, job_group)
     where d.place + q.waiting + q.in_use > q.max_depth
       and d.place + q.waiting + (select count(*) from runner_job_live l
                                   where l.runner_id = q.runner_id and l.job_group = q.job_group
                                     and l.status = 'available' and l.has_slot) > q.max_depth
  loop
    outcomes[r.request] := 'full';
  end loop;
end $$;

-- A repeated request in the same call as its first is refused if that one is.
create or replace function refuse_repetitions(jobs new_job[], inout outcomes text[]) returns text[]
  language plpgsql as $$
declare
  r record;
begin
  for r in
    select distinct j.request, outcomes[f.request] as outcome
      from unnest(jobs) j
      join runner_job_enqueue_keys x on x.org_id = j.org_id and x.key = j.idempotency_key
      join unnest(jobs) f on f.id = any(x.job_ids)
     where outcomes[j.request] = 'replay' and outcomes[f.request] not in ('replay', 'key-reused')
  loop
    outcomes[r.request] := r.outcome;
  end loop;
end $$;

-- Creates the missing queues, for groups that were never served or used before.
create or replace function make_queues(keys queue_key[]) returns void
  language plpgsql as $$
declare
  fresh text[];
begin
  if not exists (select from unnest(keys) k
                  where not exists (select from runner_queues q
                                     where q.runner_id = k.runner_id and q.job_group = k.job_group)) then
    return;
  end if;
  with made as (
    insert into runner_queues (runner_id, job_group, org_id)
    select u.id, k.job_group, u.org_id from unnest(keys) k join runners u on u.id = k.runner_id
     where u.lifecycle <> 'deleted'
     order by 1, 2
        on conflict do nothing returning runner_queues.runner_id
  )
  select array_agg(distinct m.runner_id::text) into fresh from made m;
  if fresh is not null then
    perform refresh_runners(fresh);
  end if;
end $$;
