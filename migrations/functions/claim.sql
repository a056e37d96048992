-- Hands available jobs to processes.

-- One call serves many waiting polls: row i asks for `wants[i]` jobs of one group for waiter `waiters[i]`, and rows are in the
-- order in which their polls began to wait. The caller makes execution ids and token digests, one for each job that may be
-- claimed. A poll whose poll_id was answered in the last 30 s gets the same executions again. A row without a job says that
-- there are orders for that waiter's process.
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
  room bigint := 0; -- the digests at the end of the list that are for what is repeated
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
    select least(sum(w.want), cardinality(digests)) into room
      from unnest(waiters, wants) w (waiter, want) where w.waiter = any(repeated);
    return query select * from reclaim_jobs(waiters, runner_ids, process_ids, poll_ids, repeated,
                                            digests[cardinality(digests) - room + 1 : ]);
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
     limit cardinality(execution_ids) - room
  ), claimed as (
    update runner_job_live l
       set status = job_status_after(l.status, 'claim'), status_at = t, execution_id = execution_ids[g.k], process_id = g.process_id,
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
    select c.org_id, c.id, c.runner_id, c.job_group, 'claim', 'available', job_status_after('available', 'claim'), c.execution_id, t,
           c.event_tx
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

-- Returns the same executions again, with new tokens, because the first response was lost. Takes digests from the end of the
-- list: new claims of the same call take theirs from its start. A poll may ask for fewer jobs than it did at first: what there
-- is no digest for is not returned, and goes back to its queue 30 s after the claim.
create or replace function reclaim_jobs(waiters int[], runner_ids text[], process_ids text[], poll_ids text[],
                             repeated int[], digests bytea[]) returns setof claimed_job
  language plpgsql as $$
begin
  return query
  with again as (
    select w.waiter, l.id, l.execution_id, l.org_id, l.overall_at, l.job_group, l.execution_count, l.process_id,
           l.started_at,
           row_number() over (order by w.waiter, l.created_at, l.id) as k
      from (select distinct w.waiter, w.runner_id, w.process_id, w.poll_id
              from unnest(waiters, runner_ids, process_ids, poll_ids) w (waiter, runner_id, process_id, poll_id)
             where w.waiter = any(repeated)) w
      join runner_job_live l on l.runner_id = w.runner_id and l.process_id = w.process_id and l.status = 'in-progress'
      join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
     where e.poll_id = w.poll_id and e.status = 'pending'
  ), fresh as (
    update runner_job_executions e set token_digest = digests[cardinality(digests) + 1 - a.k]
      from again a where e.org_id = a.org_id and e.id = a.execution_id and a.k <= cardinality(digests)
    returning e.id, e.created_at, e.deadline_at
  )
  select a.waiter, true, a.id::text, a.execution_id::text, a.process_id::text, null::text[], a.job_group::text,
         f.created_at, f.deadline_at, a.overall_at, a.execution_count, a.started_at,
         j.org_id::text, j.runner_id::text, j.type, j.operation, j.owner_id, j.owner_type, j.metadata,
         j.queue_timeout, j.available_timeout, j.execution_timeout, j.overall_timeout, j.max_executions, j.stop_grace,
         j.changes_things, j.rerun_of::text, j.log_stream_id::text, j.created_at, j.created_by_id, p.key_id,
         case when p.key_id is null then convert_from(p.contents, 'UTF8') else encode(p.contents, 'base64') end
    from again a
    join fresh f on f.id = a.execution_id
    join runner_jobs j on j.org_id = a.org_id and j.id = a.id
    left join runner_job_plans p on p.runner_job_id = a.id
   order by a.waiter, a.k;
end $$;

-- Claims one job by its id for a third-party runner. It names no process: the job belongs to the only live process that serves
-- its group or, if there are several, to all of them. No row: the job is not available any more.
create or replace function claim_job(org text, runner text, job text, execution text, live_processes text[])
  returns table (job_id text, execution_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
begin
  return query
  with claimed as (
    update runner_job_live l
       set status = job_status_after(l.status, 'claim'), status_at = t, execution_id = execution,
           process_id = case when cardinality(live_processes) = 1 then live_processes[1] end,
           holders = case when cardinality(live_processes) > 1 then live_processes end,
           started_at = coalesce(l.started_at, t), execution_count = l.execution_count + 1, offered_until = null,
           event_tx = greatest(l.event_tx, pg_current_xact_id()),
           deadline_at = least(t + interval '30 s', t + ns(l.execution_timeout), l.overall_at)
     where l.id = job and l.org_id = org and l.runner_id = runner and l.status = 'available' and l.has_slot
    returning l.*, t + ns(l.execution_timeout) as execution_deadline_at
  ), executions as (
    insert into runner_job_executions (id, org_id, runner_job_id, runner_id, process_id, holders, is_ours,
                                       created_at, deadline_at)
    select c.execution_id, c.org_id, c.id, c.runner_id, c.process_id, c.holders, false, t, c.execution_deadline_at
      from claimed c
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status,
                                   execution_id, at, tx)
    select c.org_id, c.id, c.runner_id, c.job_group, 'claim', 'available', job_status_after('available', 'claim'), c.execution_id, t,
           c.event_tx
      from claimed c
  )
  select c.id::text, c.execution_id::text from claimed c;
end $$;

-- Offers a job to each parked third-party poll (`tail`) for two seconds, without a claim. A null group is any.
create or replace function offer_jobs(waiters int[], runner_ids text[], job_groups text[]) returns table (waiter int, job_id text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz := svc_now();
  short queue_key[];
  w record;
begin
  select array_agg(distinct row(q.runner_id::text, q.job_group::text)::queue_key) into short
    from unnest(runner_ids, job_groups) a (runner_id, job_group)
    join runner_queues q on q.runner_id = a.runner_id and (a.job_group is null or q.job_group = a.job_group)
   where q.waiting > 0 and q.slots > q.in_use;
  if short is not null then
    perform lock_queues(short);
    perform release_jobs(short, true, t);
  end if;
  for w in select * from unnest(waiters, runner_ids, job_groups) a (waiter, runner_id, job_group) loop
    return query
    update runner_job_live l set offered_until = t + interval '2 s'
     where l.id = (select c.id from runner_job_live c
                    where c.runner_id = w.runner_id and c.status = 'available' and c.has_slot
                      and (c.offered_until is null or c.offered_until < t)
                      and (w.job_group is null or c.job_group = w.job_group)
                    order by c.withdrawals, c.created_at, c.id limit 1 for no key update skip locked)
    returning w.waiter, l.id::text;
  end loop;
end $$;

-- For a claim that names groups which its process had not announced: it serves them from now on, with those slots.
create or replace function announce_groups(process text, slots jsonb) returns queue_key[]
  language plpgsql as $$
declare
  runner text;
begin
  update runner_processes p
     set is_ours = true, updated_at = svc_now(), serves = slots || coalesce(p.serves, '{}'::jsonb)
   where p.id = process
  returning p.runner_id into runner;
  if runner is null then
    return '{}';
  end if;
  return array(select k from refresh_runners(array[runner]) k);
end $$;
