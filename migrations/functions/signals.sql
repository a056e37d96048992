-- The moves of signals. Every one is made under the lock of its queue's counters (lock_signal_queues), so they are exact and
-- signals stand in line in the order of their commits. Lock order: queues, runner queues, jobs, executions.

-- Locks queues in one order everywhere, so that callers cannot deadlock.
create or replace function lock_signal_queues(ids text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform 1 from queue_counters c where c.queue_id = any(ids) order by c.queue_id for no key update;
end $$;

-- Enqueues signals. One call carries one batch (all or none) or many single requests.
create or replace function enqueue_signals(batch json) returns setof enqueued_signal
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  signals new_signal[];
  asked new_signal[];
  outcomes text[];
  has_keys boolean;
  late text[];
begin
  select array_agg(s order by s.request, s.id), array_fill(null::text, array[max(s.request)]), bool_or(s.idempotency_key is not null)
    into signals, outcomes, has_keys
    from json_populate_recordset(null::new_signal, batch) s;
  if has_keys then
    outcomes := claim_signal_keys(signals, outcomes);
  end if;
  if exists (select from unnest(signals) s where s.dedupe_key is not null) then
    late := late_signals(array(select s from unnest(signals) s where outcomes[s.request] is null and s.dedupe_key is not null));
  end if;
  if cardinality(late) > 0 then
    perform lock_with_late(array(select s.queue_id from unnest(signals) s where outcomes[s.request] is null), late);
    perform expire_late(late, svc_now());
  else
    perform lock_signal_queues(array(select s.queue_id from unnest(signals) s where outcomes[s.request] is null));
  end if;
  t := svc_now();
  outcomes := refuse_signals(signals, outcomes, t);
  asked := signals;
  if exists (select from unnest(outcomes) o where o is not null) then
    delete from queue_signal_keys x using unnest(signals) s
     where x.org_id = s.org_id and x.key = s.idempotency_key and s.id = any(x.signal_ids)
       and outcomes[s.request] not in ('replay', 'key-reused');
    return query
    select distinct s.request, outcomes[s.request], null::text, null::text, null::timestamptz
      from unnest(signals) s where outcomes[s.request] <> 'replay';
    signals := array(select s from unnest(signals) s where outcomes[s.request] is null);
  end if;
  if cardinality(signals) > 0 then
    return query select * from file_signals(signals, t);
  end if;
  if has_keys then
    perform keep_signal_keys(signals);
    return query
    select s.request, case when r.is_kept then 'replay-kept' else 'replay' end, r.id, null::text, null::timestamptz
      from (select distinct a.request, a.org_id, a.idempotency_key from unnest(asked) a where outcomes[a.request] = 'replay') s
      join queue_signal_keys x on x.org_id = s.org_id and x.key = s.idempotency_key
     cross join lateral unnest(x.signal_ids, x.kept) with ordinality r (id, is_kept, n)
     order by s.request, r.n;
  end if;
end $$;

-- The signals that hold dedupe keys which these ask for, and have expired but for the sweep that says so.
create or replace function late_signals(asking new_signal[]) returns text[]
  language sql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  return array(select l.id::text from unnest(asking) s
                cross join lateral (select l.id from queue_signal_live l
                                     where l.queue_id = s.queue_id and l.dedupe_key = s.dedupe_key and l.expires_at <= svc_now()
                                       and l.status in ('queued', 'retrying') offset 0) l);

-- Locks queues, and besides them what the ends of late signals need.
create or replace function lock_with_late(queue_ids text[], late text[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  perform lock_signal_queues(queue_ids || array(select c.queue_id::text from queue_signal_callbacks c
                                                 where c.signal_id = any(late) and c.queue_id is not null));
end $$;

-- Ends those of them that are still there, so that their keys are free.
create or replace function expire_late(late text[], t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  moves signal_move[];
begin
  moves := array(select row(l.id, 'expire', 'expires_at came before its turn', null, null, null, null)::signal_move
                   from queue_signal_live l
                  where l.id = any(late) and l.expires_at <= t and l.status in ('queued', 'retrying'));
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
  end if;
end $$;

-- A key names the signals that its request was answered with, so that a repeated one is answered the same: for one that was not
-- enqueued, the live one with its dedupe key, which was kept.
create or replace function keep_signal_keys(signals new_signal[]) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  if not exists (select from unnest(signals) s where s.idempotency_key is not null and s.dedupe_key is not null) then
    return;
  end if;
  with asked as (
    select distinct s.org_id, s.idempotency_key as key from unnest(signals) s
     where s.idempotency_key is not null and s.dedupe_key is not null
  ), answered as (
    select k.org_id, k.key, array_agg(coalesce(l.id::text, i.id) order by i.n) as ids,
           array_agg(coalesce(l.id <> i.id, false) order by i.n) as kept
      from asked k
      join queue_signal_keys x on x.org_id = k.org_id and x.key = k.key
     cross join lateral unnest(x.signal_ids) with ordinality i (id, n)
      left join unnest(signals) s on s.id = i.id
      left join queue_signal_live l on l.queue_id = s.queue_id and l.dedupe_key = s.dedupe_key
     group by k.org_id, k.key
  )
  update queue_signal_keys x set signal_ids = a.ids, kept = a.kept from answered a where x.org_id = a.org_id and x.key = a.key;
end $$;

-- Stores idempotency keys: the first request writes its key, a repeated one gets the signals of the first.
create or replace function claim_signal_keys(signals new_signal[], inout outcomes text[]) returns text[]
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  k record;
begin
  for k in
    with asked as (
      select s.request, min(s.org_id) as org_id, min(s.idempotency_key) as key, min(s.fingerprint) as fingerprint,
             array_agg(s.id order by s.id) as ids
        from unnest(signals) s where s.idempotency_key is not null group by s.request
    ), first as (
      insert into queue_signal_keys (org_id, key, fingerprint, signal_ids, created_at)
      select distinct on (a.org_id, a.key) a.org_id, a.key, decode(a.fingerprint, 'hex'), a.ids, svc_now()
        from asked a order by a.org_id, a.key, a.request
      on conflict do nothing returning signal_ids
    )
    select a.* from asked a where not exists (select from first f where f.signal_ids = a.ids)
  loop
    outcomes[k.request] := (
      select case when x.fingerprint = decode(k.fingerprint, 'hex') then 'replay' else 'key-reused' end
        from queue_signal_keys x where x.org_id = k.org_id and x.key = k.key);
  end loop;
end $$;

-- Why requests are refused: no-queue · past (expires_at) · own-queue (it would wait for a signal that holds a place in the same queue)
-- · no-awaiter · long-wait (more than a hundred would wait for one another) · no-target (a callback's queue) · full. The caller holds the
-- queues' locks.
create or replace function refuse_signals(signals new_signal[], inout outcomes text[], t timestamptz) returns text[]
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  r record;
begin
  for r in
    select s.request, min(case when q.id is null or q.deleted_at is not null then '1 no-queue'
                               when s.expires_at <= t then '2 past' end) as outcome
      from unnest(signals) s left join queues q on q.org_id = s.org_id and q.id = s.queue_id
     where outcomes[s.request] is null
     group by s.request having bool_or(q.id is null or q.deleted_at is not null or s.expires_at <= t)
  loop
    outcomes[r.request] := substr(r.outcome, 3);
  end loop;
  for r in
    select distinct s.request from unnest(signals) s cross join unnest(s.callbacks) c
     where outcomes[s.request] is null and c.kind = 'signal'
       and not exists (select from queues q where q.org_id = s.org_id and q.id = c.queue_id and q.deleted_at is null offset 0)
  loop
    outcomes[r.request] := 'no-target';
  end loop;
  if exists (select from unnest(signals) s where s.awaited_by is not null) then
    for r in
      with recursive awaiting (request, queue_id, org_id, id, depth) as (
        select s.request, s.queue_id, s.org_id, s.awaited_by collate "C", 1 from unnest(signals) s
         where s.awaited_by is not null and outcomes[s.request] is null
        union
        select a.request, a.queue_id, a.org_id, f.awaited_by::text, a.depth + 1
          from awaiting a join queue_signals f on f.org_id = a.org_id and f.id = a.id
         where f.awaited_by is not null and a.depth <= 100
           and exists (select from queue_signal_live l where l.org_id = a.org_id and l.id = a.id) -- one that has ended waits for nothing
      )
      select a.request, bool_or(l.queue_id = a.queue_id) as is_own, bool_or(a.depth = 1 and l.id is null) as is_gone,
             max(a.depth) > 100 as is_long
        from awaiting a left join queue_signal_live l on l.org_id = a.org_id and l.id = a.id
       group by a.request
    loop
      outcomes[r.request] := case when r.is_own then 'own-queue' when r.is_gone then 'no-awaiter' when r.is_long then 'long-wait' end;
    end loop;
  end if;
  for r in
    select distinct d.request
      from (select f.request, f.queue_id, count(*) over placed as place, sum(f.size) over placed as bytes
              from (select s.request, s.queue_id, s.id, s.dedupe_key, signal_size(s) as size,
                           row_number() over (partition by s.queue_id, s.dedupe_key order by s.request, s.id) as nth
                      from unnest(signals) s
                     where outcomes[s.request] is null
                       and not exists (select from queue_signal_live l
                                        where l.queue_id = s.queue_id and l.dedupe_key = s.dedupe_key offset 0)) f
             where f.dedupe_key is null or f.nth = 1 -- the others are kept as one
            window placed as (partition by f.queue_id order by f.request, f.id)) d
      join queue_counters c on c.queue_id = d.queue_id
     where c.waiting + c.delayed + d.place > c.max_depth or c.bytes + d.bytes > queue_max_bytes()
        or exists (select from full_orgs o where o.org_id = c.org_id)
  loop
    outcomes[r.request] := 'full';
  end loop;
  -- A repeated request in the same call as its first is refused if that one is.
  for r in
    select distinct s.request, outcomes[f.request] as outcome
      from unnest(signals) s
      join queue_signal_keys x on x.org_id = s.org_id and x.key = s.idempotency_key
      join unnest(signals) f on f.id = any(x.signal_ids)
     where outcomes[s.request] = 'replay' and outcomes[f.request] not in ('replay', 'key-reused')
  loop
    outcomes[r.request] := r.outcome;
  end loop;
end $$;

create or replace function callbacks_size(callbacks new_callback[]) returns bigint
  language sql immutable
  return coalesce((select sum(length(c.contents)) from unnest(callbacks) c), 0);

-- What a signal holds, its callbacks with it; base64 is four letters for three bytes. Most have none: without a look at them
-- it is an expression of the statement that asks.
create or replace function signal_size(s new_signal) returns int
  language sql immutable
  return ((length((s).contents) + case when (s).callbacks is null then 0 else callbacks_size((s).callbacks) end) * 3 / 4)::int;

-- The same of one that is stored.
create or replace function stored_size(f queue_signals) returns int
  language sql stable
  return octet_length((f).contents) + coalesce((select sum(octet_length(c.contents)) from queue_signal_callbacks c
                                                 where c.signal_id = (f).id), 0);

-- The most bytes that the signals in one queue may have together.
create or replace function queue_max_bytes() returns bigint language sql immutable parallel safe return 256 * 1024 * 1024::bigint;

-- What a signal costs besides what it holds: its rows and their places in indexes.
create or replace function signal_overhead() returns int language sql immutable parallel safe return 1024;

-- Marks the orgs whose queues hold more bytes than they may (0: without a bound), and no others. It is said by the counters of the
-- queues, which are exact; enqueues look at the mark alone. Where nothing changes, nothing is written.
create or replace function mark_full_orgs(most bigint) returns void
  language sql as $$
  with held as materialized (
    select c.org_id, sum(c.bytes + (c.waiting + c.delayed + c.in_flight)::bigint * signal_overhead())::bigint as bytes
      from queue_counters c group by 1
  ), over as materialized (
    select h.* from held h where most > 0 and h.bytes > most
  ), freed as (
    delete from full_orgs o where not exists (select from over x where x.org_id = o.org_id)
  )
  insert into full_orgs as o (org_id, bytes)
  select x.org_id, x.bytes
    from over x left join full_orgs k on k.org_id = x.org_id -- an update that changes nothing would still lock the row, which is a write
   where x.bytes is distinct from k.bytes
      on conflict (org_id) do update set bytes = excluded.bytes
$$;

-- The one place where signals enter their queues, whoever files them. The caller holds the queues' locks and has refused what it
-- must. Of signals with the same dedupe key in a queue the live one, or the first, is kept.
create or replace function file_signals(signals new_signal[], t timestamptz) returns setof enqueued_signal
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  fresh new_signal[] := signals;
begin
  if exists (select from unnest(signals) s where s.dedupe_key is not null) then
    fresh := array(
      select d.s
        from (select s, first_value(s.id) over (partition by s.queue_id, s.dedupe_key order by s.request, s.id) as first
                from unnest(signals) s) d
       where (d.s).dedupe_key is null
          or (d.s).id = d.first and not exists (select from queue_signal_live l where l.queue_id = (d.s).queue_id
                                                  and l.dedupe_key = (d.s).dedupe_key offset 0));
    return query
    select (d.s).request, 'kept', coalesce(l.id::text, d.first), coalesce(l.status, signal_status_after('', 'enqueue')),
           coalesce(l.created_at, t)
      from (select s, first_value(s.id) over (partition by s.queue_id, s.dedupe_key order by s.request, s.id) as first
              from unnest(signals) s where s.dedupe_key is not null) d
      left join queue_signal_live l on l.queue_id = (d.s).queue_id and l.dedupe_key = (d.s).dedupe_key
     where l.id is not null or d.first <> (d.s).id;
    if cardinality(fresh) = 0 then
      return;
    end if;
  end if;

  insert into queue_signal_callbacks (signal_id, n, org_id, kind, statuses, next_id, queue_id, type, runs, task, dedupe_key,
                                      expires_in, max_executions, retry_delay, key_id, contents, created_by_id)
  select s.id, c.n, s.org_id, c.kind, c.statuses, c.next_id, c.queue_id, c.type, c.runs, c.task, c.dedupe_key, c.expires_in,
         c.max_executions, c.retry_delay, c.key_id, decode(c.contents, 'base64'), s.created_by_id
    from unnest(fresh) s cross join unnest(s.callbacks) c;
  with facts as (
    insert into queue_signals (id, org_id, queue_id, type, runs, task, owner_id, owner_type, context, awaited_by, caused_by,
                               emitter_id, scheduled_for, dedupe_key, expires_at, max_executions, retry_delay, key_id, contents,
                               created_at, created_by_id)
    select s.id, s.org_id, s.queue_id, s.type, s.runs, s.task, s.owner_id, s.owner_type, coalesce(s.context, '{}'), s.awaited_by,
           s.caused_by, s.emitter_id, s.scheduled_for, s.dedupe_key, coalesce(s.expires_at, t + ns(s.expires_in)),
           s.max_executions, s.retry_delay, s.key_id, decode(s.contents, 'base64'), t, s.created_by_id
      from unnest(fresh) s
  ), live as (
    insert into queue_signal_live (id, org_id, queue_id, status, runs, dedupe_key, size, max_executions, retry_delay, expires_at,
                                   deadline_at, created_at, status_at)
    select s.id, s.org_id, s.queue_id, signal_status_after('', 'enqueue'), s.runs, s.dedupe_key,
           signal_size(s),
           s.max_executions, s.retry_delay, coalesce(s.expires_at, t + ns(s.expires_in)),
           coalesce(s.expires_at, t + ns(s.expires_in)), t, t
      from unnest(fresh) s order by s.request, s.id
    returning queue_id, runs, size
  )
  update queue_counters c
     set waiting = c.waiting + n.signals, own_turns = c.own_turns + n.own, bytes = c.bytes + n.size, last_used_at = t
    from (select l.queue_id, count(*)::int as signals, count(*) filter (where l.runs <> 'pull')::int as own, sum(l.size) as size
            from live l group by 1) n
   where c.queue_id = n.queue_id;
  perform wake_queues(array(select distinct s.queue_id from unnest(fresh) s), t);
  perform start_turns(array(select distinct s.queue_id from unnest(fresh) s where s.runs <> 'pull'), t);
  return query
  select s.request, 'enqueued', s.id, signal_status_after('', 'enqueue'), t from unnest(fresh) s order by s.request, s.id;
end $$;

-- What brokers do that know all types of workflows and kinds of steps (shared/workflow-task.ts): older ones do not know it either.
create or replace function workflow_task() returns text language sql immutable parallel safe return 'advance-workflow-5';

-- The task of a signal that may have been filed by an older broker, or before an upgrade.
create or replace function present_task(task text) returns text
  language sql immutable parallel safe return case when task in ('advance-workflow', 'advance-workflow-2', 'advance-workflow-3', 'advance-workflow-4') then workflow_task() else task end;

-- Begins the turns of signals that brokers run, where it is their turn: one of the first in line, as many as there are places. Where an
-- org has more than brokers soon have room for, they wait in the backlog. The caller holds the queues' locks.
create or replace function start_turns(queue_ids text[], t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  tasks graphile_worker.job_spec[];
begin
  with head as materialized (
    select l.id, l.org_id, l.runs, l.nth, f.type, f.task
      from (select l.*, c.in_flight + row_number() over (partition by l.queue_id order by l.place) as nth
              from queue_counters c
             cross join lateral (select l.id, l.org_id, l.queue_id, l.runs, l.place
                                   from (select l.* from queue_signal_live l where l.queue_id = c.queue_id and l.status = 'queued'
                                          order by l.place limit c.max_in_flight - c.in_flight + expired_in_front()) l
                                  where l.expires_at is null or l.expires_at > t
                                  order by l.place limit c.max_in_flight - c.in_flight) l
             where c.queue_id = any(queue_ids) and c.own_turns > 0 and not c.is_paused and c.in_flight < c.max_in_flight) l
      join queue_signals f on f.org_id = l.org_id and f.id = l.id
     where l.runs <> 'pull'
  ), lines as materialized (
    select k.org_id, k.type, has_backlog(k.org_id, k.type) as has_backlog
      from (select distinct h.org_id, h.type from head h where h.runs = 'task') k
  ), due as materialized (
    select h.id, h.nth, h.type, h.task,
           h.runs <> 'task' or not k.has_backlog and row_number() over (partition by h.org_id, h.type order by h.nth, h.id) <= most_handed()
           as is_handed
      from head h left join lines k on k.org_id = h.org_id and k.type = h.type
  ), started as (
    update queue_signal_live l
       set status = signal_status_after(l.status, 'start'), has_place = true, lease_id = gen_random_uuid()::text,
           lease = case when l.runs = 'hold' then first_wake_ns() else task_lease_ns() end,
           execution_count = l.execution_count + 1, started_at = coalesce(l.started_at, t), status_at = t,
           status_description = case when d.is_handed then '' else 'it waits until a broker has room for more of its org' end,
           deadline_at = case when l.runs = 'hold' then t + ns(first_wake_ns())
                              else least(case when d.is_handed then t + ns(task_lease_ns()) end, l.expires_at) end
      from due d where l.id = d.id
    returning l.id, l.org_id, l.queue_id, l.runs, l.lease_id, d.nth, d.type, d.task, d.is_handed
  ), counted as (
    update queue_counters c
       set waiting = c.waiting - n.signals, own_turns = c.own_turns - n.signals, in_flight = c.in_flight + n.signals
      from (select s.queue_id, count(*)::int as signals from started s group by 1) n
     where c.queue_id = n.queue_id
  ), lined_up as (
    insert into turn_backlog (org_id, type, signal_id, lease_id)
    select s.org_id, s.type, s.id, s.lease_id from started s where not s.is_handed order by s.nth, s.id
  )
  select array_agg(row(present_task(s.task),
                       json_build_object('org_id', s.org_id, 'signal_id', s.id, 'lease_id', s.lease_id, 'type', s.type), null, null, 3,
                       case when s.runs = 'hold' then 'wake ' || s.id end,
                       least(s.nth, 10000)::int, null)::graphile_worker.job_spec) -- many of one queue come after the first of others
    into tasks
    from started s where s.is_handed;
  if tasks is not null then
    perform graphile_worker.add_jobs(tasks);
  end if;
end $$;

-- How long a broker has to begin, or to go on with, the turn of a signal that it runs.
create or replace function task_lease_ns() returns bigint language sql immutable parallel safe return 60 * 1000000000::bigint;

-- When the holder of a signal is woken again that has not ended it, and how long after that at most, as each wake waits twice as
-- long as the one before.
create or replace function first_wake_ns() returns bigint language sql immutable parallel safe return 30 * 1000000000::bigint;
create or replace function longest_wake_ns() returns bigint language sql immutable parallel safe return 600 * 1000000000::bigint;

-- Wakes holders again: a task may have been lost, or whoever ran it was killed, which graphile-worker finds out only after hours. A signal
-- has one such task, however often it is added. The caller holds the queues' locks.
create or replace function wake_holders(ids text[], t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  tasks graphile_worker.job_spec[];
begin
  with due as (
    update queue_signal_live l
       set lease = least(2 * l.lease, longest_wake_ns()), deadline_at = t + ns(least(2 * l.lease, longest_wake_ns()))
     where l.id = any(ids) and l.deadline_at <= t and l.status in ('in-flight', 'retrying') and l.runs = 'hold'
    returning l.org_id, l.id, l.lease_id
  )
  select array_agg(row(present_task(f.task),
                       json_build_object('org_id', d.org_id, 'signal_id', d.id, 'lease_id', d.lease_id, 'type', f.type), null, null,
                       3, 'wake ' || d.id, null, null)::graphile_worker.job_spec)
    into tasks
    from due d join queue_signals f on f.org_id = d.org_id and f.id = d.id;
  if tasks is not null then
    perform graphile_worker.add_jobs(tasks);
  end if;
end $$;

-- How many signals that have expired a claim, or a start of turns, passes at the front of a line; where more stand there it waits until the sweep has ended
-- them. A million of them must not be walked through by a statement that serves others' queues as well.
create or replace function expired_in_front() returns int language sql immutable parallel safe return 1000;

-- Claims signals for workers, first in line first; only those that workers claim. A claim with the same id gets again what it has,
-- and its leases begin anew.
create or replace function claim_signals(waiters int[], org_ids text[], queue_ids text[], wants int[], claim_ids text[],
                                         workers text[], leases bigint[])
  returns setof claimed_signal
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  repeated int[]; -- the waiter of each signal that its claim has already
  again_leases bigint[];
  again_ids text[];
begin
  perform lock_signal_queues(queue_ids);
  t := svc_now();
  if exists (select from unnest(claim_ids) i where i is not null) then
    -- Looked for queue by queue: one probe of the index of claims each, whatever else is in flight or backs off.
    select array_agg(a.waiter), array_agg(a.lease), array_agg(l.id::text) into repeated, again_leases, again_ids
      from unnest(waiters, org_ids, queue_ids, claim_ids, leases) a (waiter, org_id, queue_id, claim_id, lease)
     cross join lateral (select l.id from queue_signal_live l
                          where l.queue_id = a.queue_id and l.claim_id = a.claim_id and l.org_id = a.org_id
                            and l.status = 'in-flight' offset 0) l;
  end if;
  if cardinality(again_ids) > 0 then
    return query
    with renewed as (
      update queue_signal_live l
         set lease = a.lease, deadline_at = greatest(t + ns(a.lease), l.deadline_at + interval '2 ms')
        from unnest(again_ids, repeated, again_leases) a (id, waiter, lease)
       where l.id = a.id
      returning l.*, a.waiter
    )
    select r.waiter, true, r.id::text, r.org_id::text, r.queue_id::text, f.type, f.owner_id, f.owner_type, f.context, f.dedupe_key,
           f.emitter_id::text, f.scheduled_for, f.caused_by::text, r.expires_at, r.execution_count, r.max_executions, f.created_at,
           r.lease_id, r.deadline_at, f.key_id, f.contents, f.awaited_by::text, f.created_by_id
      from renewed r join queue_signals f on f.org_id = r.org_id and f.id = r.id
     order by r.waiter, r.place;
  end if;
  return query
  with asked as materialized (
    select a.*, sum(a.wanted) over (partition by a.queue_id order by a.waiter) as upto
      from unnest(waiters, org_ids, queue_ids, wants, claim_ids, workers, leases)
           a (waiter, org_id, queue_id, wanted, claim_id, worker, lease)
      join queue_counters c on c.queue_id = a.queue_id and c.org_id = a.org_id -- nobody claims another org's signals
     where repeated is null or a.waiter <> all(repeated)
  ), head as materialized (
    select l.id, l.queue_id, l.runs, row_number() over (partition by l.queue_id order by l.place) as nth,
           sum(l.size) over (partition by l.queue_id order by l.place) as bytes,
           sum(l.size) over (order by a.first, l.place) as all_bytes, row_number() over (order by a.first, l.place) as of_all
      from (select a.queue_id, max(a.upto) as wanted, min(a.waiter) as first from asked a group by 1) a
      join queue_counters c on c.queue_id = a.queue_id and not c.is_paused and c.waiting > c.own_turns
     cross join lateral (select least(greatest(c.max_in_flight - c.in_flight, 0), a.wanted) as most) m
     cross join lateral (select l.*
                           from (select l.* from queue_signal_live l where l.queue_id = a.queue_id and l.status = 'queued'
                                  order by l.place limit m.most + expired_in_front()) l
                          where l.expires_at is null or l.expires_at > t
                          order by l.place limit m.most) l
  ), mine as materialized (
    select distinct on (h.id) h.id, a.waiter, a.claim_id, a.worker, a.lease
      from head h join asked a on a.queue_id = h.queue_id and h.nth > a.upto - a.wanted and h.nth <= a.upto
     where h.runs = 'pull' and (h.nth = 1 or h.bytes <= claim_max_bytes()) and (h.of_all = 1 or h.all_bytes <= claims_max_bytes())
  ), started as (
    update queue_signal_live l
       set status = signal_status_after(l.status, 'start'), has_place = true, lease_id = gen_random_uuid()::text,
           lease = m.lease, claim_id = m.claim_id, worker = m.worker, execution_count = l.execution_count + 1,
           started_at = coalesce(l.started_at, t), status_at = t, status_description = '', deadline_at = t + ns(m.lease)
      from mine m where l.id = m.id
    returning l.*, m.waiter
  ), counted as (
    update queue_counters c
       set waiting = c.waiting - n.signals, in_flight = c.in_flight + n.signals, last_used_at = t
      from (select s.queue_id, count(*)::int as signals from started s group by 1) n
     where c.queue_id = n.queue_id
  )
  select s.waiter, false, s.id::text, s.org_id::text, s.queue_id::text, f.type, f.owner_id, f.owner_type, f.context, f.dedupe_key,
         f.emitter_id::text, f.scheduled_for, f.caused_by::text, s.expires_at, s.execution_count, s.max_executions, f.created_at,
         s.lease_id, s.deadline_at, f.key_id, f.contents, f.awaited_by::text, f.created_by_id
    from started s join queue_signals f on f.org_id = s.org_id and f.id = s.id
   order by s.waiter, s.place;
end $$;

-- The most bytes that one claim of a queue hands out, except that the first signal is always handed out.
create or replace function claim_max_bytes() returns bigint language sql immutable parallel safe return 4 * 1024 * 1024::bigint;

-- The same of all claims of one statement together.
create or replace function claims_max_bytes() returns bigint language sql immutable parallel safe return 16 * 1024 * 1024::bigint;

-- What workers, and brokers for the turns that they run, say of executions: a report counts only with the lease that is current. For
-- a held signal somebody else speaks: without a lease; what it extends is the time until it is woken again.
create or replace function report_signals(reports signal_report[])
  returns table (reported reported_signal, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz;
  queue_ids text[] := lock_queues_of_signals(array(select r.signal_id from unnest(reports) r));
  moves signal_move[];
begin
  t := svc_now();
  return query
  select row(r.n,
             case when f.id is null then 'not-found'
                  when l.status = 'in-flight' and is_lease(l, r.lease_id)
                  then case when r.event = 'extend' or r.nth = 1 then 'done' else 'repeated' end
                  when r.event <> 'extend' and r.lease_id in (d.lease_id, l.reported_lease_id) then 'repeated'
                  else 'lost' end,
             coalesce(case when l.status = 'in-flight' and is_lease(l, r.lease_id)
                           then coalesce(signal_status_after(l.status, report_event(r.event, l)), l.status) end, l.status, d.status),
             case when r.event = 'extend' and is_lease(l, r.lease_id) and l.deadline_at is not null
                  then t + ns(coalesce(r.lease, l.lease)) end)::reported_signal, null::text
    from (select r.*, row_number() over (partition by r.signal_id, r.event = 'extend' order by r.n) as nth from unnest(reports) r) r
    left join queue_signals f on f.org_id = r.org_id and f.id = r.signal_id
    left join queue_signal_live l on l.org_id = r.org_id and l.id = r.signal_id
    left join queue_signal_ends d on d.org_id = r.org_id and d.signal_id = r.signal_id;
  update queue_signal_live l
     set deadline_at = t + ns(coalesce(r.lease, l.lease)), lease = coalesce(r.lease, l.lease)
    from unnest(reports) r
   where r.event = 'extend' and l.org_id = r.org_id and l.id = r.signal_id and l.status = 'in-flight' and is_lease(l, r.lease_id)
     and l.deadline_at is not null;
  select array_agg(row(m.signal_id, m.event, m.description, m.retry_in, m.key_id, m.result, m.n)::signal_move) into moves
    from (select distinct on (r.signal_id) r.signal_id, report_event(r.event, l) as event, r.description, r.retry_in, r.key_id,
                 r.result, r.n
            from unnest(reports) r join queue_signal_live l on l.org_id = r.org_id and l.id = r.signal_id
           where report_event(r.event, l) is not null and l.status = 'in-flight' and is_lease(l, r.lease_id)
           order by r.signal_id, r.n) m;
  if moves is not null then
    perform move_signals(moves, t);
    return query select null::reported_signal, w from queues_with_work(queue_ids) w;
  end if;
end $$;

create or replace function is_lease(l queue_signal_live, lease_id text) returns boolean
  language sql immutable
  return coalesce((l).lease_id = lease_id or (l).runs = 'hold' and lease_id is null, false);

-- The move that a report asks for; null: none.
create or replace function report_event(event text, l queue_signal_live) returns text
  language sql immutable
  return case event when 'finish' then 'finish' when 'give-up' then 'die' when 'return' then 'return'
              when 'fail' then case when (l).runs <> 'hold' and (l).execution_count < (l).max_executions
                                    then 'retry' else 'die' end end;

-- Locks the queues of signals, and those that their callbacks name: a signal that ends enqueues there. Also those of dead ones: until
-- the lock is there one may have been redriven, and to lock its queue then would be out of order.
create or replace function lock_queues_of_signals(signal_ids text[]) returns text[]
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  ids text[];
begin
  ids := array(select l.queue_id::text from queue_signal_live l where l.id = any(signal_ids)
                union
               select d.queue_id from queue_signal_ends d where d.signal_id = any(signal_ids) and d.status = 'dead'
                union
               select c.queue_id from queue_signal_callbacks c where c.signal_id = any(signal_ids) and c.queue_id is not null);
  perform lock_signal_queues(ids);
  return ids;
end $$;

-- Queues where a worker would get something now.
create or replace function queues_with_work(queue_ids text[]) returns setof text
  language sql stable as $$
  select c.queue_id::text from queue_counters c
   where c.queue_id = any(queue_ids) and c.waiting > c.own_turns and c.in_flight < c.max_in_flight and not c.is_paused
$$;

-- Applies moves of live signals that the caller has judged under their queues' locks; then others may have their turn.
create or replace function move_signals(moves signal_move[], t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  ends signal_move[];
  backs signal_move[];
  queue_ids text[];
begin
  select array_agg(m) filter (where not coalesce(is_signal_live(signal_status_after(l.status, m.event)), false)),
         array_agg(m) filter (where is_signal_live(signal_status_after(l.status, m.event))),
         array_agg(distinct l.queue_id::text)
    into ends, backs, queue_ids
    from unnest(moves) m join queue_signal_live l on l.id = m.signal_id;
  if backs is not null then
    perform send_signals_back(backs, t);
  end if;
  if ends is not null then
    queue_ids := queue_ids || write_signal_ends(ends, t);
  end if;
  perform start_turns(queue_ids, t);
end $$;

-- Whether it is a broker's to execute, and none has begun yet.
create or replace function is_unbegun(l queue_signal_live) returns boolean
  language sql immutable return (l).runs = 'task' and (l).worker is null;

create or replace function is_signal_live(status text) returns boolean
  language sql immutable parallel safe return status in ('queued', 'in-flight', 'retrying');

-- A history with one more entry. It keeps the first and the last 19, with short descriptions: lists read it whole.
create or replace function with_entry(history jsonb, status text, description text, at timestamptz) returns jsonb
  language sql immutable
  return case when jsonb_array_length(history) >= 20 then history - 1 else history end
         || jsonb_build_object('status', status, 'description', left(description, 500), 'at', at);

-- The moves that stay in the queue: lapse, return, retry, yield, requeue. A retry in a queue with one place keeps it, so that nothing passes.
-- What has yielded has begun: no expires_at ends it any more, its next start is the same execution, and its holder is woken now and then.
create or replace function send_signals_back(moves signal_move[], t timestamptz) returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
begin
  with j as materialized (
    select l.id, l.queue_id, l.runs, l.status, l.has_place, m.event, m.description, signal_status_after(l.status, m.event) as to_status,
           m.event = 'retry' and c.max_in_flight = 1 as keeps,
           t + ns(coalesce(m.retry_in, retry_delay_ns(l.retry_delay, l.execution_count))) as retry_at
      from unnest(moves) m
      join queue_signal_live l on l.id = m.signal_id
      join queue_counters c on c.queue_id = l.queue_id
  ), back as (
    update queue_signal_live l
       set status = j.to_status, has_place = j.keeps, lease_id = null,
           reported_lease_id = case when j.event = 'retry' then l.lease_id else l.reported_lease_id end, lease = null,
           execution_count = l.execution_count - (j.event in ('return', 'yield') or j.event = 'lapse' and is_unbegun(l))::int,
           claim_id = null, expires_at = case when j.event <> 'yield' then l.expires_at end,
           worker = null, awaits_job = null, status_at = t,
           started_at = case when j.event <> 'return' or l.execution_count > 1 then l.started_at end,
           status_description = coalesce(j.description, ''),
           deadline_at = case when j.event = 'yield' then t + ns(longest_wake_ns())
                              else least(case when j.event = 'retry' then j.retry_at end, l.expires_at) end,
           -- What no worker did anything for is not worth an entry: it may happen any number of times.
           history = case when j.event = 'return' or j.event = 'lapse' and is_unbegun(l) then l.history
                          else with_entry(l.history, l.status, l.status_description, l.status_at) end
      from j where l.id = j.id
  )
  update queue_counters c
     set waiting = c.waiting + n.queued, own_turns = c.own_turns + n.own, delayed = c.delayed + n.delayed,
         in_flight = c.in_flight + n.places, last_used_at = t
    from (select j.queue_id, count(*) filter (where j.to_status = 'queued')::int as queued,
                 count(*) filter (where j.to_status = 'queued' and j.runs <> 'pull')::int as own,
                 (count(*) filter (where j.to_status = 'retrying' and not j.keeps)
                  - count(*) filter (where j.status = 'retrying' and not j.has_place))::int as delayed,
                 (count(*) filter (where j.keeps) - count(*) filter (where j.has_place))::int as places
            from j group by 1) n
   where c.queue_id = n.queue_id;
end $$;

-- The back-off after so many executions: doubled each time, at most an hour, and up to a tenth more so that many do not come at once.
create or replace function retry_delay_ns(first bigint, executions int) returns bigint
  language sql volatile
  return (least(first * 2 ^ least(greatest(executions - 1, 0), 30), greatest(first, 3600 * 1000000000::bigint))
          * (1 + random() / 10))::bigint;

-- The one place where signals end, whoever ends them; its callbacks follow in the same statement. The caller holds the locks of the
-- queues, and of those that callbacks name. Returns the queues that callbacks enqueued in.
create or replace function write_signal_ends(moves signal_move[], t timestamptz) returns text[]
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  with_callbacks text[];
  let_go text[]; -- held signals that somebody else than their holders ended
  tasks graphile_worker.job_spec[];
begin
  with gone as (
    delete from queue_signal_live l using unnest(moves) m where l.id = m.signal_id
    returning l.id, l.org_id, l.queue_id, l.runs, l.status, l.has_place, l.size, l.execution_count, l.lease_id, l.started_at,
              l.awaits_job,
              with_entry(l.history, l.status, l.status_description, l.status_at) as history,
              signal_status_after(l.status, m.event) as to_status, coalesce(m.description, '') as why, m.key_id, m.result, m.n
  ), ends as (
    insert into queue_signal_ends (signal_id, org_id, queue_id, status, status_description, execution_count, lease_id, key_id, result,
                                   started_at, finished_at, history)
    select g.id, g.org_id, g.queue_id, g.to_status, g.why, g.execution_count,
           case when g.n is not null then g.lease_id end, g.key_id, decode(g.result, 'base64'),
           g.started_at, t, g.history
      from gone g
  ), counted as (
    update queue_counters c
       set waiting = c.waiting - n.queued, own_turns = c.own_turns - n.own, delayed = c.delayed - n.delayed,
           in_flight = c.in_flight - n.places, bytes = c.bytes - n.size, last_used_at = t
      from (select g.queue_id, count(*) filter (where g.status = 'queued')::int as queued,
                   count(*) filter (where g.status = 'queued' and g.runs <> 'pull')::int as own,
                   count(*) filter (where g.status = 'retrying' and not g.has_place)::int as delayed,
                   count(*) filter (where g.has_place)::int as places, sum(g.size) as size
              from gone g group by 1) n
     where c.queue_id = n.queue_id
  )
  select array_agg(g.id::text) filter (where exists (select from queue_signal_callbacks c
                                                      where c.signal_id = g.id and c.status in ('waiting', 'pending'))),
         array_agg(row('cancel-job-of-signal', json_build_object('org_id', g.org_id, 'job_id', g.awaits_job), null, null, 5,
                       'cancel-job-of-signal ' || g.awaits_job, null, null)::graphile_worker.job_spec)
           filter (where g.awaits_job is not null and g.to_status = 'cancelled'),
         array_agg(g.id::text) filter (where g.runs = 'hold' and g.to_status in ('cancelled', 'expired'))
    into with_callbacks, tasks, let_go
    from gone g;
  if tasks is not null then
    perform graphile_worker.add_jobs(tasks);
  end if;
  if let_go is not null then
    perform graphile_worker.add_jobs(array(
      select row(present_task(f.task), json_build_object('org_id', f.org_id, 'signal_id', f.id, 'lease_id', null, 'type', f.type), null, null, 3,
                 'wake ' || f.id, null, null)::graphile_worker.job_spec
        from queue_signals f where f.id = any(let_go)));
  end if;
  return case when with_callbacks is null then '{}' else call_back(with_callbacks, t) end;
end $$;

-- What follows the ends of signals: signals at once, past the depth of their queues, since nothing else would keep them; runner jobs
-- and HTTP calls as tasks. Returns the queues that it enqueued in. A dead signal's callbacks are called once, though it may come back; one
-- that was not made before the redrive, and does not follow the new end, has failed.
create or replace function call_back(signal_ids text[], t timestamptz) returns text[]
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  signals new_signal[];
  made text[];
  tasks graphile_worker.job_spec[];
begin
  select array_agg(row(1, c.next_id, c.org_id, c.queue_id, c.type, c.runs, c.task, f.owner_id, f.owner_type, f.context, null, c.signal_id,
                       null, null, c.dedupe_key, null, c.expires_in, c.max_executions, c.retry_delay, c.key_id,
                       encode(c.contents, 'base64'), c.created_by_id, null, null, null)::new_signal)
           filter (where c.kind = 'signal' and q.id is not null)
    into signals
    from queue_signal_callbacks c
    join queue_signal_ends d on d.signal_id = c.signal_id and d.status = any(c.statuses)
    join queue_signals f on f.org_id = c.org_id and f.id = c.signal_id
    left join lateral (select q.id from queues q where q.org_id = c.org_id and q.id = c.queue_id and q.deleted_at is null offset 0) q on true
   where c.signal_id = any(signal_ids) and c.status = 'waiting';
  made := array(select s.id from file_signals(coalesce(signals, '{}'), t) s where s.outcome = 'enqueued');
  update queue_signal_callbacks c
     set status = 'failed', settled_at = t, due_at = null,
         status_description = 'the signal was redriven before this was made, and then ended as ' || d.status
    from queue_signal_ends d
   where c.signal_id = any(signal_ids) and c.status = 'pending' and d.signal_id = c.signal_id and d.status <> all(c.statuses);
  with judged as materialized (
    select c.signal_id, c.n, c.org_id, c.kind, d.status, c.kind <> 'signal' and d.status = any(c.statuses) as is_pending
      from queue_signal_callbacks c join queue_signal_ends d on d.signal_id = c.signal_id
     where c.signal_id = any(signal_ids) and c.status = 'waiting'
  ), lines as materialized (
    select k.org_id, has_backlog(k.org_id, 'callback') as has_backlog
      from (select distinct j.org_id from judged j where j.is_pending) k
  ), handed as materialized (
    select p.signal_id, p.n
      from (select j.signal_id, j.n, row_number() over (partition by j.org_id order by j.signal_id, j.n) as nth
              from judged j join lines k on k.org_id = j.org_id and not k.has_backlog where j.is_pending) p
     where p.nth <= most_handed()
  ), settled as (
    update queue_signal_callbacks c
       set status = case when j.status <> all(c.statuses) then 'skipped' when j.is_pending then 'pending'
                         when c.next_id = any(made) or exists (select from unnest(signals) s where s.id = c.next_id) then 'done'
                         else 'failed' end,
           status_description = case when j.status <> all(c.statuses) then 'the signal ended as ' || j.status
                                     when j.is_pending or c.next_id = any(made) then ''
                                     when exists (select from unnest(signals) s where s.id = c.next_id)
                                     then 'a live signal has the same dedupe key'
                                     else 'its queue was deleted' end,
           settled_at = case when not j.is_pending then t end,
           due_at = case when h.n is not null then t + ns(task_lease_ns()) end
      from judged j left join handed h on h.signal_id = j.signal_id and h.n = j.n
     where c.signal_id = j.signal_id and c.n = j.n
    returning c.org_id, c.signal_id, c.n, c.begins, j.is_pending, h.n is not null as is_handed
  ), lined_up as (
    insert into turn_backlog (org_id, type, signal_id, callback, begins)
    select c.org_id, 'callback', c.signal_id, c.n, c.begins from settled c
     where c.is_pending and not c.is_handed order by c.signal_id, c.n
  )
  select array_agg(row('call-back', json_build_object('org_id', c.org_id, 'signal_id', c.signal_id, 'n', c.n, 'begins', c.begins), null, null,
                       3, 'call-back ' || c.signal_id || ' ' || c.n, null, null)::graphile_worker.job_spec)
    into tasks
    from settled c where c.is_handed;
  if tasks is not null then
    perform graphile_worker.add_jobs(tasks);
  end if;
  return array(select distinct s.queue_id from unnest(signals) s);
end $$;

-- The clocks of signals: expires_at, the end of a back-off, the end of a lease, the next wake of a holder. Where more are due than it takes, a quarter of what it
-- takes is what fell due last: a million that fell due at once keep nobody else's waiting.
create or replace function sweep_signals(batch int) returns swept_signals
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  t timestamptz := svc_now();
  ids text[];
  queue_ids text[];
  moves signal_move[];
begin
  ids := array(select l.id::text from queue_signal_live l where l.deadline_at <= t order by l.deadline_at limit batch - batch / 4);
  if cardinality(ids) = 0 then
    return row(0, '{}'::text[])::swept_signals;
  elsif cardinality(ids) = batch - batch / 4 then
    ids := array(select unnest(ids) union
                 (select l.id::text from queue_signal_live l where l.deadline_at <= t order by l.deadline_at desc limit batch / 4));
  end if;
  queue_ids := lock_queues_of_signals(ids);
  t := svc_now();
  select array_agg(row(l.id,
           case l.status when 'in-flight' then case when l.execution_count < l.max_executions or is_unbegun(l)
                                                    then 'lapse' else 'die' end
                when 'retrying' then case when l.expires_at <= t then 'expire' else 'requeue' end
                else 'expire' end,
           case when l.status = 'in-flight' then 'its lease ran out: nobody extended it or said how it ended'
                when l.expires_at <= t then 'expires_at came before its turn' end,
           null, null, null, null)::signal_move)
    into moves
    from queue_signal_live l
   where l.id = any(ids) and l.deadline_at <= t and not (l.runs = 'hold' and l.status in ('in-flight', 'retrying'));
  if moves is not null then
    perform move_signals(moves, t);
  end if;
  if moves is null or cardinality(moves) < cardinality(ids) then
    perform wake_holders(ids, t);
  end if;
  return row(cardinality(ids), array(select w from queues_with_work(queue_ids) w))::swept_signals;
end $$;

-- Cancels signals of an org that are in their queues.
create or replace function cancel_signals(org text, signal_ids text[], why text)
  returns table (signal_id text, outcome text, status text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  queue_ids text[] := lock_queues_of_signals(signal_ids);
  t timestamptz := svc_now();
  moves signal_move[];
begin
  return query
  select f.id::text, case when l.id is not null then 'cancelled' when d.status = 'cancelled' then 'already' else 'ended' end,
         coalesce(signal_status_after(l.status, 'cancel'), d.status), null::text
    from queue_signals f
    left join queue_signal_live l on l.org_id = f.org_id and l.id = f.id
    left join queue_signal_ends d on d.org_id = f.org_id and d.signal_id = f.id
   where f.org_id = org and f.id = any(signal_ids);
  moves := array(select row(l.id, 'cancel', why, null, null, null, null)::signal_move
                   from queue_signal_live l where l.org_id = org and l.id = any(signal_ids));
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
    return query select null::text, null::text, null::text, w from queues_with_work(queue_ids) w;
  end if;
end $$;

-- Cancels at most so many of the signals that wait in a queue, oldest first, and those in flight if asked. The caller repeats it.
create or replace function purge_queue(org text, queue text, with_in_flight boolean, why text, batch int)
  returns table (purged int, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  ids text[];
  queue_ids text[];
  t timestamptz;
  moves signal_move[];
begin
  ids := array(select a.id
                 from ((select l.id::text from queue_signal_live l
                         where l.org_id = org and l.queue_id = queue and l.status = 'queued' order by l.place limit batch)
                       union all
                       (select l.id::text from queue_signal_live l
                         where l.org_id = org and l.queue_id = queue and l.status <> 'queued'
                           and (with_in_flight or l.status <> 'in-flight') limit batch)) a
                limit batch);
  queue_ids := lock_queues_of_signals(ids);
  t := svc_now();
  moves := array(select row(l.id, 'cancel', why, null, null, null, null)::signal_move
                   from queue_signal_live l where l.id = any(ids) and (with_in_flight or l.status <> 'in-flight'));
  if cardinality(moves) > 0 then
    perform move_signals(moves, t);
  end if;
  return query select cardinality(ids), w.id
                 from (select null::text as id union all select q from queues_with_work(queue_ids) q) w;
end $$;

-- Puts dead signals of a queue (these, or the oldest) back in line, last, as many as there is room for, by number and by bytes. One whose dedupe key a live
-- signal has stays dead. An expires_at that has passed counts no more.
create or replace function redrive_signals(org text, queue text, signal_ids text[], batch int)
  returns table (signal_id text, outcome text, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  t timestamptz;
  room bigint;
  bytes_left bigint;
  locked text[];
  ids text[];
begin
  perform lock_signal_queues(array[queue]);
  t := svc_now();
  select case when exists (select from full_orgs o where o.org_id = org) then 0 else c.max_depth - c.waiting - c.delayed end,
         queue_max_bytes() - c.bytes
    into room, bytes_left
    from queue_counters c
   where c.org_id = org and c.queue_id = queue
     and exists (select from queues q where q.org_id = org and q.id = queue and q.deleted_at is null);
  if room is null then
    return;
  end if;
  -- Locked in their order: retention may be deleting some of them.
  locked := array(
    select e.signal_id::text from queue_signal_ends e
     where e.queue_id = queue and e.org_id = org and e.status = 'dead' and (signal_ids is null or e.signal_id = any(signal_ids))
       and not exists (select from queue_signals f join queue_signal_live l on l.queue_id = queue and l.dedupe_key = f.dedupe_key
                        where f.org_id = org and f.id = e.signal_id)
     order by e.signal_id limit least(batch, greatest(room, 0)) for update skip locked);
  ids := array(
    select d.id
      from (select f.id::text as id, sum(f.size) over (order by f.id) as bytes
              from (select f.id, f.dedupe_key, stored_size(f) as size, row_number() over (partition by f.dedupe_key order by f.id) as of_key
                      from queue_signals f where f.org_id = org and f.id = any(locked)) f
             where f.dedupe_key is null or f.of_key = 1) d
     where d.bytes <= bytes_left
     order by d.id);
  return query
  select a.id, case when d.status is null then 'not-found' when a.id = any(ids) then 'redriven'
                    when d.status <> 'dead' then 'not-dead'
                    when exists (select from queue_signal_live l where l.queue_id = queue and l.dedupe_key = f.dedupe_key offset 0)
                      or exists (select from queue_signals g where g.org_id = org and g.id = any(ids) and g.dedupe_key = f.dedupe_key)
                    then 'kept' else 'full' end, null::text
    from unnest(coalesce(signal_ids, ids)) a (id)
    left join queue_signals f on f.org_id = org and f.queue_id = queue and f.id = a.id
    left join lateral (select coalesce(e.status, 'live') as status from (select 1) one
                         left join queue_signal_ends e on e.signal_id = f.id where f.id is not null) d on true;
  with back as (
    delete from queue_signal_ends d where d.signal_id = any(ids)
    returning d.*
  ), live as (
    insert into queue_signal_live (id, org_id, queue_id, status, runs, dedupe_key, size, max_executions, retry_delay, expires_at,
                                   deadline_at, created_at, status_at, status_description, started_at, history)
    select f.id, f.org_id, f.queue_id, signal_status_after(b.status, 'redrive'), f.runs, f.dedupe_key, stored_size(f),
           f.max_executions, f.retry_delay, e.expires_at, e.expires_at, f.created_at, t, 'it was redriven', b.started_at,
           with_entry(b.history, b.status, b.status_description, b.finished_at)
      from back b
      join queue_signals f on f.org_id = b.org_id and f.id = b.signal_id
     cross join lateral (select case when f.expires_at > t then f.expires_at end as expires_at) e
     order by f.id
    returning queue_id, runs, size
  ), waiting_again as (
    update queue_signal_callbacks c set status = 'waiting', status_description = '', settled_at = null
     where c.signal_id = any(ids) and c.status = 'skipped'
  )
  update queue_counters c
     set waiting = c.waiting + n.signals, own_turns = c.own_turns + n.own, bytes = c.bytes + n.size, last_used_at = t
    from (select l.queue_id, count(*)::int as signals, count(*) filter (where l.runs <> 'pull')::int as own, sum(l.size) as size
            from live l group by 1) n
   where c.queue_id = n.queue_id;
  if cardinality(ids) > 0 then
    perform wake_queues(array[queue], t);
    perform start_turns(array[queue], t);
    return query select null::text, null::text, w from queues_with_work(array[queue]) w;
  end if;
end $$;
