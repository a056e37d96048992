import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import type { GivenQueue } from "./given-signals.ts";

/** Many queues of an org, with one signal in flight each. */
export async function givenManyQueues(db: Db, orgId: OrgId, count: number): Promise<GivenQueue[]> {
  const ids = Array.from({ length: count }, () => newId("que"));
  await db`
    with made as (
      insert into queues (id, org_id, name, idle_timeout) select q, ${orgId}, q, 0 from unnest(${ids}::text[]) q
    ), told as (
      insert into status_history (owner_id, org_id, status, description, at)
      select q, ${orgId}, 'active', 'the queue was created', svc_now() from unnest(${ids}::text[]) q
    )
    insert into queue_counters (queue_id, org_id, max_depth, max_in_flight)
    select q, ${orgId}, 1000000, 1 from unnest(${ids}::text[]) q`;
  return ids.map((queueId) => ({ orgId, queueId }));
}

/** How many signals of a queue stand where. Those in flight and in back-off have clocks that end in a day. */
export type SignalCounts = {
  readonly queued?: number;
  readonly retrying?: number;
  readonly inFlight?: number;
  readonly finished?: number;
  readonly dead?: number;
};

/**
 * Puts many signals into queues as the functions would have, all queues alike, one signal of each after the other, by one
 * statement: a million takes about a minute. They are of type `work`, for workers, and hold `{}`.
 */
export async function givenManySignals(
  db: Db,
  queues: readonly GivenQueue[],
  { queued = 0, retrying = 0, inFlight = 0, finished = 0, dead = 0 }: SignalCounts,
): Promise<void> {
  const [orgs, ids] = [queues.map(({ orgId }) => orgId), queues.map(({ queueId }) => queueId)];
  await db`
    with s as materialized (
      select 'sig_0' || lpad((extract(epoch from statement_timestamp()) * 1000000)::bigint::text, 16, '0')
                     || lpad(row_number() over (order by n, q.nth)::text, 9, '0') as id,
             q.org_id, q.queue_id, q.nth,
             case when n <= ${queued} then 'queued' when n <= ${queued + retrying} then 'retrying'
                  when n <= ${queued + retrying + inFlight} then 'in-flight'
                  when n <= ${queued + retrying + inFlight + finished} then 'finished' else 'dead' end as status
        from unnest(${orgs}::text[], ${ids}::text[]) with ordinality q (org_id, queue_id, nth)
       cross join generate_series(1, ${queued + retrying + inFlight + finished + dead}::int) n
    ), facts as (
      insert into queue_signals (id, org_id, queue_id, type, runs, owner_id, max_executions, retry_delay, contents, created_at)
      select s.id, s.org_id, s.queue_id, 'work', 'pull', 'own_' || s.nth % 10, 3, 1000000000, '{}', svc_now() from s
    ), live as (
      insert into queue_signal_live (id, org_id, queue_id, status, runs, size, max_executions, retry_delay, execution_count,
                                     has_place, lease_id, lease, deadline_at, created_at, status_at)
      select s.id, s.org_id, s.queue_id, s.status, 'pull', 2, 3, 1000000000, (s.status <> 'queued')::int,
             s.status = 'in-flight', case when s.status = 'in-flight' then s.id end,
             case when s.status = 'in-flight' then 30000000000 end,
             case when s.status <> 'queued' then svc_now() + interval '1 day' end, svc_now(), svc_now()
        from s where is_signal_live(s.status) order by s.id
    ), ends as (
      insert into queue_signal_ends (signal_id, org_id, queue_id, status, execution_count, finished_at)
      select s.id, s.org_id, s.queue_id, s.status, 1, svc_now() from s where not is_signal_live(s.status)
    )
    update queue_counters c
       set waiting = c.waiting + ${queued}, delayed = c.delayed + ${retrying}, in_flight = c.in_flight + ${inFlight},
           bytes = c.bytes + 2 * ${queued + retrying + inFlight}
     where c.queue_id = any(${ids}::text[])`;
}
