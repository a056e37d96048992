import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import type { GivenQueue } from "../queues/given-signals.ts";
import { byId, type ModelSignal } from "./model-signal.ts";
import type { SignalModel } from "./signal-model.ts";

type LiveRow = {
  readonly id: string;
  readonly status: string;
  readonly has_place: boolean;
  readonly execution_count: number;
  readonly left_ms: number | null;
  readonly lease_id: string | null;
};

/** Expects a queue to be stored as the model has it, and tells the model which leases were handed out. */
export async function expectAgreement(
  db: Db,
  { queueId }: GivenQueue,
  model: SignalModel,
): Promise<void> {
  const live = await db<LiveRow[]>`
    select id, status, has_place, execution_count, lease_id,
           case when status <> 'retrying' then round(extract(epoch from deadline_at - svc_now()) * 1000)::int end as left_ms
      from queue_signal_live where queue_id = ${queueId} order by place`;
  const stored = live.map((row) => ({ ...row, lease_id: undefined }));
  const told = model.live().map((one) => ({ ...shown(one), left_ms: leftMs(model, one) }));
  expect(stored).toEqual(told);
  for (const { id, lease_id: leaseId } of live) {
    const one = model.signals.get(id);
    if (one === undefined || leaseId === null || one.leaseId === leaseId) continue;
    expect(one.leaseId).toBeNull(); // a lease does not change while its execution lasts
    one.leaseId = leaseId;
    model.leases.push({ id, leaseId });
  }
  const ends = await db`
    select signal_id as id, status, false as has_place, execution_count
      from queue_signal_ends where queue_id = ${queueId} order by signal_id`;
  const ended = [...model.signals.values()].filter((one) => !model.live().includes(one));
  expect([...ends]).toEqual(ended.toSorted(byId).map(shown));
  await expectCounts(db, queueId, model);
}

async function expectCounts(db: Db, queueId: string, model: SignalModel): Promise<void> {
  const [counts] = await db`
    select c.waiting, c.own_turns, c.delayed, c.in_flight, c.is_paused, q.status
      from queue_counters c join queues q on q.id = c.queue_id where c.queue_id = ${queueId}`;
  const { isPaused } = model;
  const status = isPaused ? "paused" : "active";
  expect(counts).toEqual({ ...model.counts(), is_paused: isPaused, status });
  const callbacks = await db`
    select c.signal_id as id, c.status from queue_signal_callbacks c
      join queue_signals f on f.org_id = c.org_id and f.id = c.signal_id
     where f.queue_id = ${queueId} order by c.signal_id`;
  const told = [...model.signals.values()].toSorted(byId);
  expect([...callbacks]).toEqual(
    told.flatMap(({ id, callback }) =>
      callback === null ? [] : [{ id, status: callback.status }],
    ),
  );
}

const shown = ({ id, status, hasPlace, executions }: ModelSignal) => ({
  id,
  status,
  has_place: hasPlace,
  execution_count: executions,
});

const leftMs = ({ now }: SignalModel, { status, deadlineAt }: ModelSignal): number | null =>
  status === "retrying" || deadlineAt === null ? null : deadlineAt - now;
