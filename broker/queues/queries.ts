import type { NewQueue, QueueChanges } from "../../shared/api/queues.ts";
import type { QueueStatus } from "../../shared/queue.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest, PageKey } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { QueueRow } from "./queue-row.ts";

/** What a list of queues is narrowed to. */
export type QueueFilter = {
  readonly owner_id?: string | undefined;
  readonly owner_type?: string | undefined;
  readonly name?: string | undefined;
  readonly status?: QueueStatus | undefined;
  /** Without the lanes. */
  readonly hidesLanes?: boolean;
};

type Woken = { readonly outcome: string; readonly wake: string | null };
/** What came of a change, and the queues where workers have something to claim now. */
export type QueueChange = { readonly outcome: string; readonly wakes: readonly string[] };

/** Writes a queue: created, taken (the name) or full (the org has `most`). */
export async function insertQueue(
  db: Db,
  org: OrgId,
  queue: NewQueue & { readonly id: string; readonly most: number; readonly actorId: string },
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select create_queue(${org}, ${queue.id}, ${queue.name}, ${queue.owner_id}, ${queue.owner_type}, ${queue.max_depth},
                        ${queue.max_in_flight}, ${queue.idle_timeout}, ${JSON.stringify(queue.metadata)}::text::jsonb,
                        ${queue.most}, ${queue.actorId}) as outcome`;
  return row?.outcome;
}

/** A queue that is not deleted. */
export async function findQueue(db: Db, org: OrgId, id: string): Promise<QueueRow | undefined> {
  const [row] = await db<QueueRow[]>`
    select ${queueColumns(db)} ${fromQueues(db)}
     where q.org_id = ${org} and q.id = ${id} and q.deleted_at is null`;
  return row;
}

/**
 * Queues that pass the filters, the newest first. Ids begin with their time: they are the order. The range is one of the index of
 * orgs alone; with equality the key's index would serve the order as well, by a walk through the queues of everybody.
 */
export async function listQueues(
  db: Db,
  org: OrgId,
  { filter, after, limit, offset }: ListRequest & { readonly filter: QueueFilter },
): Promise<(QueueRow & { readonly sort_key: string })[]> {
  return db<(QueueRow & { sort_key: string })[]>`
    select ${queueColumns(db)}, q.created_at::text as sort_key ${fromQueues(db)}
     ${wanted(db, org, filter, after)}
     order by q.org_id desc, q.id desc limit ${limit} offset ${offset}`;
}

/** How many of them there are, counted no further than `most`. */
export async function countQueues(
  db: Db,
  org: OrgId,
  filter: QueueFilter,
  most: number,
): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from (select from queues q ${wanted(db, org, filter)} limit ${most}) c`;
  return row?.count ?? 0;
}

function wanted(db: Db, org: OrgId, filter: QueueFilter, after?: PageKey) {
  return db`
    where q.deleted_at is null and (q.org_id, q.id) > (${org}, '') and (q.org_id, q.id) < (${org}, ${after?.id ?? "~"})
      ${filter.owner_id === undefined ? db`` : db`and q.owner_id = ${filter.owner_id}`}
      ${filter.owner_type === undefined ? db`` : db`and q.owner_type = ${filter.owner_type}`}
      ${filter.name === undefined ? db`` : db`and q.name = ${filter.name}`}
      ${filter.status === undefined ? db`` : db`and q.status = ${filter.status}`}
      ${filter.hidesLanes === true ? db`and q.install_id is null and q.app_id is null` : db``}`;
}

function queueColumns(db: Db) {
  return db`
    q.id, q.org_id, q.name, q.owner_id, q.owner_type, q.install_id, q.app_id, q.idle_timeout, q.metadata, q.status, q.status_description, q.status_at,
    q.paused_until, q.paused_note, q.paused_by_id, q.version, q.created_at, q.updated_at, q.created_by_id, c.max_depth,
    c.max_in_flight, c.waiting, c.delayed, c.in_flight, c.bytes, o.created_at as oldest_at`;
}

/** The first in line is one look-up in the index of the line. */
function fromQueues(db: Db) {
  return db`
    from queues q
    join queue_counters c on c.queue_id = q.id
    left join lateral (select l.created_at from queue_signal_live l
                        where l.queue_id = q.id and l.status = 'queued' order by l.place limit 1) o on true`;
}

/** Changes what is given: changed, not-found, taken (the name) or stale (another version). */
export async function writeQueue(
  db: Db,
  org: OrgId,
  to: { readonly id: string; readonly version: number | undefined; readonly changes: QueueChanges },
): Promise<QueueChange> {
  const { name, max_depth, max_in_flight, idle_timeout, metadata } = to.changes;
  const rows = await db<Woken[]>`
    select * from change_queue(${org}, ${to.id}, ${to.version ?? null}, ${name ?? null}, ${max_depth ?? null},
                               ${max_in_flight ?? null}, ${idle_timeout ?? null},
                               ${metadata === undefined ? null : JSON.stringify(metadata)}::text::jsonb)`;
  return changeOf(rows);
}

/** The instant at which a pause ends that is asked for now, and whether that is in the future and near enough. */
export async function findPauseEnd(
  db: Db,
  end: { readonly until?: string; readonly lasting_ms?: number },
): Promise<{ readonly until: Date; readonly is_past: boolean; readonly is_far: boolean }> {
  const [row] = await db<{ until: Date; is_past: boolean; is_far: boolean }[]>`
    select e.until, e.until <= svc_now() as is_past, e.until > svc_now() + interval '366 days' as is_far
      from (select coalesce(${end.until ?? null}::text::timestamptz,
                            svc_now() + least(${end.lasting_ms ?? 0}::float8, 1e11) * interval '1 millisecond') as until) e`;
  if (row === undefined) throw new Error("no end of a pause came back");
  return row;
}

/** Pauses or resumes: done, unchanged or not-found. */
export async function writeQueuePause(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly event: "pause" | "resume";
    readonly note: string;
    readonly until: Date | null;
    readonly actorId: string;
  },
): Promise<QueueChange> {
  const rows = await db<Woken[]>`
    select * from set_queue_pause(${org}, ${to.id}, ${to.event}, ${to.note}, ${to.until}, ${to.actorId})`;
  return changeOf(rows);
}

function changeOf(rows: readonly Woken[]): QueueChange {
  const wakes = rows.flatMap(({ wake }) => (wake === null ? [] : [wake]));
  return { outcome: rows[0]?.outcome ?? "not-found", wakes };
}

/** Deletes an empty queue: deleted, not-found or not-empty. */
export async function deleteQueueRow(db: Db, org: OrgId, id: string): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`select delete_queue(${org}, ${id}) as outcome`;
  return row?.outcome;
}

/** Cancels at most `batch` of the signals in a queue; answers how many. */
export async function purgeSome(
  db: Db,
  org: OrgId,
  purge: {
    readonly id: string;
    readonly withInFlight: boolean;
    readonly why: string;
    readonly batch: number;
  },
): Promise<{ readonly purged: number; readonly wakes: readonly string[] }> {
  const rows = await db<{ purged: number; wake: string | null }[]>`
    select * from purge_queue(${org}, ${purge.id}, ${purge.withInFlight}, ${purge.why}, ${purge.batch})`;
  const wakes = rows.flatMap(({ wake }) => (wake === null ? [] : [wake]));
  return { purged: rows[0]?.purged ?? 0, wakes };
}

/** How many signals of a queue have ended, by status, as far as `most` of each: a walk in the order of the index, which is all it reads. */
export async function countEnded(
  db: Db,
  queueId: string,
  most: number,
): Promise<{ readonly status: string; readonly signals: number }[]> {
  return db<{ status: string; signals: number }[]>`
    select s.status, n.signals
      from unnest('{finished,dead,expired,cancelled}'::text[]) s (status)
     cross join lateral (
       select count(*)::int as signals
         from (select from queue_signal_ends e
                where (e.queue_id, e.status) >= (${queueId}, s.status) and (e.queue_id, e.status) <= (${queueId}, s.status)
                order by e.queue_id, e.status, e.signal_id limit ${most}) e) n`;
}

const mostShown = 1000;
type PresentUse = {
  readonly executing: number;
  /** Those of them that are shown. */
  readonly signals: readonly string[];
  readonly oldest_age: number | null;
};

/** How many signals are in flight now, and the age of the first in line. */
export async function findPresentUse(db: Db, queueId: string): Promise<PresentUse> {
  const [row] = await db<PresentUse[]>`
    select (select count(*)::int from queue_signal_live l where l.queue_id = ${queueId} and l.status = 'in-flight') as executing,
           array(select l.id::text from queue_signal_live l where l.queue_id = ${queueId} and l.status = 'in-flight'
                  order by l.id limit ${mostShown}) as signals,
           (select greatest(extract(epoch from svc_now() - l.created_at), 0)::float8 from queue_signal_live l
             where l.queue_id = ${queueId} and l.status = 'queued' order by l.place limit 1) as oldest_age`;
  return row ?? { executing: 0, signals: [], oldest_age: null };
}
