-- Three looks that were a little short.

-- Gives free slots to waiting jobs, in order; answers the queues that had free slots and waiting jobs: they have
-- something to offer, or would have for a poll that is parked already. A job that was withdrawn waits for a poll that
-- could take it (with_withdrawn), a retry for the end of its predecessor.
create or replace function release_jobs(keys queue_key[], with_withdrawn boolean, t timestamptz) returns setof queue_key
  language plpgsql as $$
begin
  if not exists (select from runner_queues q join unnest(keys) k using (runner_id, job_group)
                  where q.slots > q.in_use and q.waiting > 0) then
    return;
  end if;
  return query
  with free as (
    select q.runner_id, q.job_group, q.slots - q.in_use as slots
      from runner_queues q
      join (select distinct k.runner_id, k.job_group from unnest(keys) k) k using (runner_id, job_group)
     where q.slots > q.in_use and q.waiting > 0
  ), picked as (
    select c.id, c.status
      from free f
     cross join lateral (
       select * from (
         (select l.id, l.status, l.withdrawals, l.created_at
            from runner_job_live l
           where l.runner_id = f.runner_id and l.job_group = f.job_group
             and not l.has_slot and l.withdrawals = 0 and l.blocked_by is null
           order by l.created_at, l.id limit f.slots)
         union all
         (select l.id, l.status, l.withdrawals, l.created_at
            from runner_job_live l
           where with_withdrawn and l.runner_id = f.runner_id and l.job_group = f.job_group
             and not l.has_slot and l.withdrawals > 0 and l.blocked_by is null
           order by l.withdrawals, l.created_at, l.id limit f.slots)) u
        order by u.withdrawals, u.created_at, u.id limit f.slots) c
  ), released as (
    update runner_job_live l
       set status = 'available', has_slot = true, status_at = t, offered_until = null,
           deadline_at = least(t + ns(l.available_timeout), l.overall_at),
           event_tx = greatest(l.event_tx, pg_current_xact_id())
      from picked p where l.id = p.id
    returning l.id, l.org_id, l.runner_id, l.job_group, l.event_tx, p.status as from_status
  ), written as (
    insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at, tx)
    select r.org_id, r.id, r.runner_id, r.job_group, 'release', 'queued', 'available', t, r.event_tx
      from released r where r.from_status = 'queued'
  ), counted as (
    update runner_queues q set in_use = q.in_use + c.n, waiting = q.waiting - c.n
      from (select r.runner_id, r.job_group, count(*)::int as n from released r group by 1, 2) c
     where q.runner_id = c.runner_id and q.job_group = c.job_group
  )
  select f.runner_id::text, f.job_group::text from free f;
end $$;

-- Ends what waits in the queues of a runner (one group, or all); with_running also what runs.
create or replace function flush_queues(org text, runner text, only_group text, with_running boolean, why text)
  returns table (job_id text, from_status text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  keys queue_key[];
begin
  select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) into keys
    from runner_queues q
   where q.org_id = org and q.runner_id = runner and (only_group is null or q.job_group = only_group);
  perform lock_queues(keys);
  return query
  select m.job_id, m.from_status
    from end_locked_jobs(array(
           select l.id from runner_job_live l join unnest(keys) k using (runner_id, job_group)
            where with_running or l.status <> 'in-progress'
            order by l.id for update of l), -- a claim takes no queue lock: its row is read again under ours
         'skip', why, svc_now()) m;
  perform release_jobs(keys, false, svc_now());
end $$;

-- What is due of a live job, read under its queue's lock. A null event re-arms the deadline.
create or replace function judge_due_jobs(job_ids text[], b broker_listening, t timestamptz)
  returns table (job_id text, event text, execution_status text, description text, clock text, stop_reason text,
                 rearm_at timestamptz)
  language sql stable as $$
  select l.id::text, v.event,
         case v.event when 'cancel' then case when l.execution_id is not null then 'cancelled' end
                      when 'retry' then 'timed-out' when 'expire' then 'timed-out'
                      when 'return' then 'not-attempted' end,
         case v.event when 'cancel' then 'the overall timeout passed'
                      when 'retry' then 'the execution timeout passed; it is tried again'
                      when 'expire' then 'the execution timeout passed'
                      when 'return' then 'no process confirmed that it had received this job'
                      when 'withdraw' then 'nobody took it within the available timeout' end,
         case v.event when 'cancel' then 'overall_timeout' when 'expire' then 'execution_timeout' end,
         case when l.execution_id is null or (e.is_ours and e.status = 'pending') then null
              when v.event = 'cancel' then 'cancelled' when v.event in ('retry', 'expire') then 'timed-out' end,
         case when v.event is null then greatest(t + interval '200 ms', least(l.overall_at,
           case l.status
             when 'queued' then case when l.blocked_by is not null or q.held is not null then t + interval '10 s'
                                     else l.status_at + ns(l.queue_timeout) end
             when 'available' then l.status_at + ns(l.available_timeout)
             else case when e.confirmed_at is null
                       then least(greatest(v.unheard_at, t + interval '5 s'), act_at(e.deadline_at, b))
                       else act_at(e.deadline_at, b) end end)) end
    from runner_job_live l
    join runner_queues q on q.runner_id = l.runner_id and q.job_group = l.job_group
    left join runner_job_executions e on e.org_id = l.org_id and e.id = l.execution_id
    left join lateral (
      select greatest(e.created_at, (b).resumed_at) + interval '30 s' as unheard_at) c on true
    left join lateral (
      select c.unheard_at, case
        when l.overall_at <= t then 'cancel'
        when l.status = 'in-progress' and act_at(e.deadline_at, b) <= t
          then case when may_retry(l, t) then 'retry' else 'expire' end
        when l.status = 'in-progress' and e.confirmed_at is null and c.unheard_at <= t and (e.is_ours or exists (
               select from runner_processes p join runner_process_beats w on w.process_id = p.id
                where p.runner_id = l.runner_id and p.status = 'active' and p.type <> 'mng' and p.draining is null
                  and p.going_away_at is null
                  and w.previous_beat_at > e.created_at)) then 'return'
        when l.status = 'queued' and l.blocked_by is null and q.held is null
             and l.status_at + ns(l.queue_timeout) <= t then 'release'
        when l.status = 'available' and l.status_at + ns(l.available_timeout) <= t then 'withdraw' end as event) v on true
   where l.id = any(job_ids) and l.deadline_at <= t
$$;
