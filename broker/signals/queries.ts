import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { CallbackRow, SignalContentsRow, SignalRow } from "./signal-row.ts";

/** A signal with the queue that it is, or was, in. */
export type SignalInQueue = SignalRow & {
  readonly queue_name: string;
  readonly queue_owner_id: string;
  readonly queue_owner_type: string;
};

/** A signal, with the names of its queue. */
export async function findSignal(
  db: Db,
  org: OrgId,
  id: string,
): Promise<SignalInQueue | undefined> {
  const [row] = await db<SignalInQueue[]>`
    select ${signalColumns(db)}, q.name as queue_name, q.owner_id as queue_owner_id, q.owner_type as queue_owner_type
      from queue_signals f ${signalState(db)}
      join queues q on q.org_id = f.org_id and q.id = f.queue_id
     where f.org_id = ${org} and f.id = ${id}`;
  return row;
}

/** Signals by their ids, in no order. */
export async function findSignals(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<SignalRow[]> {
  return db<SignalRow[]>`
    select ${signalColumns(db)} from queue_signals f ${signalState(db)}
     where f.org_id = ${org} and f.id = any(${[...ids]})`;
}

/** The sealed data and result of a signal. */
export async function findSignalContents(
  db: Db,
  org: OrgId,
  id: string,
): Promise<SignalContentsRow | undefined> {
  const [row] = await db<SignalContentsRow[]>`
    select f.key_id, f.contents, d.key_id as result_key_id, d.result
      from queue_signals f left join queue_signal_ends d on d.org_id = f.org_id and d.signal_id = f.id
     where f.org_id = ${org} and f.id = ${id}`;
  return row;
}

/** What follows the ends of signals, in the order in which it was asked for. */
export async function listCallbacks(
  db: Db,
  org: OrgId,
  signalIds: readonly string[],
): Promise<CallbackRow[]> {
  if (signalIds.length === 0) return [];
  return db<CallbackRow[]>`
    select c.signal_id, c.n, c.kind, c.statuses, c.status, c.status_description, c.next_id, c.queue_id, c.type, c.settled_at
      from queue_signal_callbacks c
     where c.org_id = ${org} and c.signal_id = any(${[...signalIds]})
     order by c.signal_id, c.n`;
}

/** The columns of a signal `f` and of where it stands, `l` or `d`. */
export function signalColumns(db: Db) {
  return db`
    f.id, f.org_id, f.queue_id, f.type, f.owner_id, f.owner_type, f.context, f.awaited_by, f.caused_by, f.emitter_id,
    f.scheduled_for, f.dedupe_key, case when l.id is null then f.expires_at else l.expires_at end as expires_at,
    f.max_executions, f.retry_delay, f.created_at, f.created_by_id, coalesce(l.status, d.status) as status,
    coalesce(l.status_description, d.status_description) as status_description,
    coalesce(l.status_at, d.finished_at) as status_at, coalesce(l.execution_count, d.execution_count) as execution_count,
    l.worker, case when l.status = 'in-flight' and (l.runs = 'pull' or l.worker is not null) then l.deadline_at end as lease_until,
    coalesce(l.started_at, d.started_at) as started_at, d.finished_at, coalesce(l.history, d.history) as history`;
}

/** Where a signal `f` stands: among the live, or among the ends. Each is looked up by its key, however many there are to show. */
export function signalState(db: Db) {
  return db`
    left join lateral (select * from queue_signal_live l where l.org_id = f.org_id and l.id = f.id offset 0) l on true
    left join lateral (select * from queue_signal_ends d where d.org_id = f.org_id and d.signal_id = f.id offset 0) d on true`;
}

/** Which of these queues an org does not have. */
export async function listMissingQueues(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select i.id from unnest(${[...ids]}::text[]) i (id)
     where not exists (select from queues q where q.org_id = ${org} and q.id = i.id and q.deleted_at is null)`;
  return rows.map(({ id }) => id);
}

export type CancelRow = {
  readonly outcome: string | null;
  readonly status: string | null;
  readonly wake: string | null;
};

/** Cancels a signal: cancelled, already or ended; no row with an outcome: there is no such signal. */
export async function cancelRow(
  db: Db,
  org: OrgId,
  id: string,
  why: string,
): Promise<readonly CancelRow[]> {
  return db<CancelRow[]>`
    select outcome, status, wake from cancel_signals(${org}, ${[id]}, ${why})`;
}

/** The org of a queue, when it is this one and the queue was not deleted. */
export async function findQueueOrg(
  db: Db,
  org: OrgId,
  queueId: string,
): Promise<OrgId | undefined> {
  const [row] = await db<{ org_id: OrgId }[]>`
    select org_id from queues where org_id = ${org} and id = ${queueId} and deleted_at is null`;
  return row?.org_id;
}
