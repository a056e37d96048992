-- How workers get signals over HTTP and say how their executions ended.

-- Claims for many workers in one statement: what was claimed for each, with the end of the signal that caused it; then a row for each
-- queue of which there is something to tell: paused · gone (not a queue of that org) · more (a worker would get something now).
create or replace function serve_signal_claims(waiters int[], org_ids text[], queue_ids text[], wants int[], claim_ids text[],
                                               workers text[], leases bigint[])
  returns table (waiter int, repeated boolean, id text, org_id text, queue_id text, type text, owner_id text, owner_type text,
                 context jsonb, dedupe_key text, emitter_id text, scheduled_for timestamptz, caused_by text, expires_at timestamptz,
                 execution_count int, max_executions int, created_at timestamptz, lease_id text, lease_until timestamptz, key_id text,
                 contents bytea, awaited_by text, created_by_id text, cause_type text, cause_status text, cause_description text, cause_finished_at timestamptz,
                 cause_key_id text, cause_result bytea, notice text, paused_note text, paused_until timestamptz)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
begin
  return query
  select c.*, f.type, coalesce(d.status, l.status), coalesce(d.status_description, l.status_description), d.finished_at, d.key_id,
         d.result, null::text, null::text, null::timestamptz
    from claim_signals(waiters, org_ids, queue_ids, wants, claim_ids, workers, leases) c
    left join queue_signals f on f.org_id = c.org_id and f.id = c.caused_by
    left join queue_signal_ends d on d.signal_id = f.id
    left join queue_signal_live l on l.id = f.id;
  return query
  select null::int, false, null::text, n.org_id, n.queue_id, null::text, null::text, null::text, null::jsonb, null::text, null::text,
         null::timestamptz, null::text, null::timestamptz, null::int, null::int, null::timestamptz, null::text, null::timestamptz,
         null::text, null::bytea, null::text, null::text, null::text, null::text, null::text, null::timestamptz, null::text, null::bytea,
         n.notice,
         q.paused_note, q.paused_until
    from (select a.org_id, a.queue_id,
                 case when c.queue_id is null then 'gone' when c.is_paused then 'paused'
                      when c.waiting > c.own_turns and c.in_flight < c.max_in_flight then 'more' end as notice
            from (select distinct o.org_id, o.queue_id from unnest(org_ids, queue_ids) o (org_id, queue_id)) a
            left join queue_counters c on c.org_id = a.org_id and c.queue_id = a.queue_id) n
    left join queues q on n.notice = 'paused' and q.org_id = n.org_id and q.id = n.queue_id
   where n.notice is not null;
end $$;

-- What workers say of signals of a queue. Answers a row for each that it has, and rows that name queues with work.
create or replace function report_claimed_signals(batch json)
  returns table (n int, outcome text, status text, lease_until timestamptz, wake text)
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  reports signal_report[];
begin
  select array_agg(row(b.n, b.org_id, b.signal_id, b.lease_id, b.event, b.description, b.retry_in, b.lease, b.key_id,
                       b.result)::signal_report order by b.n)
    into reports
    from json_to_recordset(batch) b (n int, org_id text, queue_id text, signal_id text, lease_id text, event text, description text,
                                     retry_in bigint, lease bigint, key_id text, result text)
    join queue_signals f on f.org_id = b.org_id and f.id = b.signal_id and f.queue_id = b.queue_id;
  return query
  select (r.reported).n, (r.reported).outcome, (r.reported).status, (r.reported).lease_until, r.wake
    from report_signals(coalesce(reports, '{}')) r;
end $$;

-- Puts signals back whose claims could not be delivered. One whose lease began anew meanwhile was delivered by another claim with
-- the same id: it stays in flight. Returns queues with work.
create or replace function return_signals(org_ids text[], signal_ids text[], lease_ids text[], untils timestamptz[]) returns setof text
  language plpgsql
  set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
declare
  reports signal_report[];
begin
  perform lock_queues_of_signals(signal_ids);
  select array_agg(row(a.n, a.org_id, a.id, a.lease_id, 'return', 'the answer of its claim could not be delivered', null, null, null,
                       null)::signal_report)
    into reports
    from unnest(org_ids, signal_ids, lease_ids, untils) with ordinality a (org_id, id, lease_id, until, n)
    join queue_signal_live l on l.org_id = a.org_id and l.id = a.id
   where abs(extract(epoch from l.deadline_at - a.until)) < 0.0015;
  return query select r.wake from report_signals(coalesce(reports, '{}')) r where r.wake is not null;
end $$;

-- Of these queues those where a parked claim is to be answered: with signals, or because the queue is paused or gone.
create or replace function queues_to_look_at(queue_ids text[]) returns setof text
  language sql stable set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  select a.id from unnest(queue_ids) a (id) left join queue_counters c on c.queue_id = a.id
   where c.queue_id is null or c.is_paused or c.waiting > c.own_turns and c.in_flight < c.max_in_flight
$$;
