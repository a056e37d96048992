import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";

/** Expects what holds for signals at every instant: exact counters, bounds held, one row each, a place for each in flight. */
export async function expectSoundSignals(db: Db): Promise<void> {
  const wrong = await db`
    select c.queue_id, c.waiting, c.own_turns, c.delayed, c.in_flight, c.bytes, l.*
      from queue_counters c
     cross join lateral (
       select count(*) filter (where l.status = 'queued')::int as queued,
              count(*) filter (where l.status = 'queued' and l.runs <> 'pull')::int as own,
              count(*) filter (where l.status = 'retrying' and not l.has_place)::int as backing_off,
              count(*) filter (where l.has_place)::int as places, coalesce(sum(l.size), 0)::bigint as size
         from queue_signal_live l where l.queue_id = c.queue_id) l
     where (c.waiting, c.own_turns, c.delayed, c.in_flight, c.bytes)
           <> (l.queued, l.own, l.backing_off, l.places, l.size)`;
  expect(wrong).toEqual([]);
  const twice = await db`
    select l.id from queue_signal_live l join queue_signal_ends e on e.signal_id = l.id`;
  expect(twice).toEqual([]);
  const nowhere = await db`
    select f.id from queue_signals f
     where not exists (select from queue_signal_live l where l.id = f.id)
       and not exists (select from queue_signal_ends e where e.signal_id = f.id)`;
  expect(nowhere).toEqual([]);
  const miscounted = await db`
    select n.org_id from queue_emitter_counts n
     where n.emitters <> (select count(*) from queue_emitters e where e.org_id = n.org_id)`;
  expect(miscounted).toEqual([]);
  const late = await db`
    select c.queue_id from queue_counters c
     where c.own_turns > 0 and c.in_flight < c.max_in_flight and not c.is_paused
       and (select l.runs <> 'pull' from queue_signal_live l
             where l.queue_id = c.queue_id and l.status = 'queued' and (l.expires_at is null or l.expires_at > svc_now())
             order by l.place limit 1)`;
  expect(late).toEqual([]);
  const forgotten = await db`
    select l.id from queue_signal_live l
     where l.status = 'in-flight' and l.runs = 'task' and l.awaits_job is null
       and l.deadline_at is null
       and not exists (select from turn_backlog b where b.signal_id = l.id and b.lease_id = l.lease_id)
    union all
    select l.id from queue_signal_live l where l.status = 'in-flight' and l.runs = 'hold' and l.deadline_at is null
    union all
    select c.signal_id from queue_signal_callbacks c
     where c.status = 'pending' and c.due_at is null
       and not exists (select from turn_backlog b where b.signal_id = c.signal_id and b.callback = c.n and b.begins = c.begins)`;
  expect(forgotten).toEqual([]);
}
