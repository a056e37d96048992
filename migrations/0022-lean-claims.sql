-- Enqueue and claim again, with fewer statements a call.

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
begin
  select array_agg(j), array_fill(null::text, array[max(j.request)]), bool_or(j.idempotency_key is not null),
         bool_or(j.plan is not null or j.sealed_plan is not null),
         array_agg(distinct row(j.runner_id, j.job_group)::queue_key)
    into jobs, outcomes, has_keys, has_plans, keys
    from json_populate_recordset(null::new_job, batch) j;
  if has_keys then
    outcomes := claim_enqueue_keys(jobs, outcomes);
    select array_agg(distinct row(j.runner_id, j.job_group)::queue_key) into keys
      from unnest(jobs) j where outcomes[j.request] is null;
  end if;
  perform make_queues(keys);
  perform lock_queues(keys);
  -- Read after the locks: a look that finds nothing wrong spares the judgement of each.
  if has_keys or exists (
       select from (select j.org_id, j.runner_id, j.job_group, count(*) as n from unnest(jobs) j group by 1, 2, 3) d
         left join runner_queues q on q.runner_id = d.runner_id and q.job_group = d.job_group
         left join runners u on u.org_id = d.org_id and u.id = d.runner_id
        where u.lifecycle is distinct from 'enabled' or d.n + q.waiting + q.in_use > q.max_depth) then
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
    insert into runner_job_plans (runner_job_id, org_id, key_id, contents)
    select j.id, j.org_id, j.key_id, coalesce(decode(j.sealed_plan, 'base64'), convert_to(j.plan, 'UTF8'))
      from unnest(jobs) j where j.plan is not null or j.sealed_plan is not null;
  end if;
  return query
  with facts as (
    insert into runner_jobs (id, org_id, runner_id, job_group, type, operation, owner_id, owner_type, metadata,
                             queue_timeout, available_timeout, execution_timeout, overall_timeout, max_executions,
                             stop_grace, changes_things, rerun_of, log_stream_id, created_at, created_by_id)
    select j.id, j.org_id, j.runner_id, j.job_group, j.type, j.operation, j.owner_id, j.owner_type, j.metadata,
           j.queue_timeout, j.available_timeout, j.execution_timeout, j.overall_timeout, j.max_executions,
           j.stop_grace, j.changes_things, j.rerun_of, j.log_stream_id, t, j.created_by_id
      from unnest(jobs) j
  ), placed as materialized ( -- narrow: it is read five times
    select p.*, p.place <= q.slots - q.in_use as gets_slot
      from (select j.request, j.id, j.org_id, j.runner_id, j.job_group, j.max_executions, j.overall_timeout,
                   j.queue_timeout, j.available_timeout, j.execution_timeout, j.stop_grace, j.changes_things,
                   row_number() over (partition by j.runner_id, j.job_group order by j.request, j.id) as place
              from unnest(jobs) j) p
      join runner_queues q using (runner_id, job_group)
  ), live as (
    insert into runner_job_live (id, org_id, runner_id, job_group, status, has_slot, max_executions, created_at,
                                 status_at, overall_at, deadline_at, queue_timeout, available_timeout,
                                 execution_timeout, stop_grace, changes_things)
    select p.id, p.org_id, p.runner_id, p.job_group, case when p.gets_slot then 'available' else 'queued' end,
           p.gets_slot, p.max_executions, t, t, t + ns(p.overall_timeout),
           t + ns(least(p.overall_timeout, case when p.gets_slot then p.available_timeout else p.queue_timeout end)),
           p.queue_timeout, p.available_timeout, p.execution_timeout, p.stop_grace, p.changes_things
      from placed p
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at)
    select p.org_id, p.id, p.runner_id, p.job_group, e.event, e.from_status, e.to_status, t
      from placed p
      join (values ('enqueue', '', 'queued'), ('release', 'queued', 'available')) e (event, from_status, to_status)
        on e.event = 'enqueue' or p.gets_slot
     order by p.request, p.id, e.event
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.slots, waiting = q.waiting + c.waiting
      from (select p.runner_id, p.job_group, count(*) filter (where p.gets_slot) as slots,
                   count(*) filter (where not p.gets_slot) as waiting
              from placed p group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select p.request, 'enqueued', p.id, case when p.gets_slot then 'available' else 'queued' end, t
    from placed p order by p.request, p.id;
end $$;

create or replace function claim_jobs(waiters int[], runner_ids text[], process_ids text[], job_groups text[], wants int[],
                           poll_ids text[], execution_ids text[], digests bytea[]) returns setof claimed_job
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  repeated int[];
  short queue_key[];
  ordered int[]; -- whose processes have orders
begin
  if exists (select from unnest(poll_ids) p where p is not null) then
    select array_agg(distinct w.waiter) into repeated
      from unnest(waiters, runner_ids, process_ids, poll_ids) w (waiter, runner_id, process_id, poll_id)
      join runner_job_live l on l.runner_id = w.runner_id and l.process_id = w.process_id and l.status = 'in-progress'
      join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
     where w.poll_id is not null and e.poll_id = w.poll_id and e.status = 'pending'
       and e.created_at > t - interval '30 s';
  end if;

  select array_agg(distinct row(q.runner_id::text, q.job_group::text)::queue_key)
           filter (where q.waiting > 0 and q.slots > q.in_use),
         array_agg(distinct w.waiter)
           filter (where p.draining is not null or p.must_register_anew or p.status = 'shut-down'
                      or exists (select from stopping_executions s
                                  where s.runner_id = p.runner_id and s.process_id = p.id and s.is_ours))
    into short, ordered
    from unnest(waiters, runner_ids, process_ids, job_groups) w (waiter, runner_id, process_id, job_group)
    left join runner_queues q on q.runner_id = w.runner_id and q.job_group = w.job_group
    left join runner_processes p on p.id = w.process_id;
  if short is not null then
    perform lock_queues(short);
    perform release_jobs(short, true, t);
  end if;
  if ordered is not null then
    return query
    select (jsonb_populate_record(null::claimed_job, jsonb_build_object('waiter', o.waiter, 'repeated', false))).*
      from unnest(ordered) o (waiter);
  end if;
  if repeated is not null then -- after the queue locks: executions are locked last everywhere
    return query select * from reclaim_jobs(waiters, runner_ids, process_ids, poll_ids, repeated, digests);
  end if;

  return query
  with asked as (
    select w.*, sum(w.want) over (partition by w.runner_id, w.job_group order by w.place
                                  rows between unbounded preceding and current row) as upto
      from unnest(waiters, runner_ids, process_ids, job_groups, wants, poll_ids) with ordinality
           w (waiter, runner_id, process_id, job_group, want, poll_id, place)
      join runner_processes p on p.id = w.process_id and p.runner_id = w.runner_id
     where w.want > 0 and (repeated is null or w.waiter <> all(repeated))
       and p.draining is null and not p.must_register_anew and p.status in ('pending', 'active', 'offline')
  ), queues as (
    select a.runner_id, a.job_group, sum(a.want) as want from asked a group by 1, 2
  ), picked as (
    select q.runner_id, q.job_group, c.id,
           row_number() over (partition by q.runner_id, q.job_group
                              order by c.withdrawals, c.created_at, c.id) as place
      from queues q
     cross join lateral (
       select l.id, l.withdrawals, l.created_at
         from runner_job_live l
        where l.runner_id = q.runner_id and l.job_group = q.job_group and l.status = 'available' and l.has_slot
          and (l.offered_until is null or l.offered_until < t)
        order by l.withdrawals, l.created_at, l.id
        limit q.want for no key update skip locked) c
  ), given as materialized (
    select a.waiter, a.process_id, a.poll_id, p.id, row_number() over () as k
      from picked p
      join asked a on a.runner_id = p.runner_id and a.job_group = p.job_group
       and p.place > a.upto - a.want and p.place <= a.upto
     limit cardinality(execution_ids)
  ), claimed as (
    update runner_job_live l
       set status = 'in-progress', status_at = t, execution_id = execution_ids[g.k], process_id = g.process_id,
           started_at = coalesce(l.started_at, t), execution_count = l.execution_count + 1, offered_until = null,
           event_tx = greatest(l.event_tx, pg_current_xact_id()),
           deadline_at = least(t + interval '30 s', t + ns(l.execution_timeout), l.overall_at)
      from given g where l.id = g.id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.execution_id, l.process_id, l.overall_at, l.execution_count,
              l.started_at, l.event_tx, g.waiter, g.poll_id, g.k, t + ns(l.execution_timeout) as execution_deadline_at
  ), executions as (
    insert into runner_job_executions (id, org_id, runner_job_id, runner_id, process_id, is_ours, poll_id,
                                       token_digest, created_at, deadline_at)
    select c.execution_id, c.org_id, c.id, c.runner_id, c.process_id, true, c.poll_id, digests[c.k], t,
           c.execution_deadline_at
      from claimed c
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, at, tx)
    select c.org_id, c.id, c.runner_id, c.job_group, 'claim', 'available', 'in-progress', c.execution_id, t, c.event_tx
      from claimed c
  )
  select c.waiter, false, c.id::text, c.execution_id::text, c.process_id::text, null::text[], c.job_group::text, t,
         c.execution_deadline_at, c.overall_at, c.execution_count, c.started_at,
         c.org_id::text, c.runner_id::text, j.type, j.operation, j.owner_id, j.owner_type, j.metadata,
         j.queue_timeout, j.available_timeout, j.execution_timeout, j.overall_timeout, j.max_executions, j.stop_grace,
         j.changes_things, j.rerun_of::text, j.log_stream_id::text, j.created_at, j.created_by_id, p.key_id,
         case when p.key_id is null then convert_from(p.contents, 'UTF8') else encode(p.contents, 'base64') end
    from claimed c
    join runner_jobs j on j.org_id = c.org_id and j.id = c.id
    left join runner_job_plans p on p.runner_job_id = c.id
   order by c.waiter, c.k;
end $$;
