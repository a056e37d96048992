import { type SignalStatus, signalEnds } from "../../shared/queue-signal.ts";
import type { Db } from "../database/connect.ts";
import type { PageKey, PageRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { signalColumns, signalState } from "./queries.ts";
import type { SignalRow } from "./signal-row.ts";

/** What a list of a queue's signals is narrowed to. */
export type SignalFilter = {
  readonly status?: SignalStatus | undefined;
  readonly type?: string | undefined;
  readonly owner_id?: string | undefined;
  readonly emitter_id?: string | undefined;
};

type Found = { readonly id: string; readonly at: string; readonly sort_key: string };
export type ListedSignal = {
  readonly id: string;
  readonly sort_key: string;
  readonly row: SignalRow;
};
export type SignalPage = {
  readonly rows: readonly ListedSignal[];
  /** Where the search stopped before it had enough. */
  readonly stoppedAt: PageKey | undefined;
};

/** How many signals one page looks through for those that pass a filter which its index does not know. */
const mostSeen = 2_000;

/**
 * A page of a queue's signals. Each list walks an index that has its order: of the line, of a status, of an owner, of an emitter, or of
 * the queue. What the index does not know is looked for among so many signals; then the page ends, and the next begins there.
 */
export async function listSignals(
  db: Db,
  org: OrgId,
  queueId: string,
  { filter, after, limit }: PageRequest & { readonly filter: SignalFilter },
): Promise<SignalPage> {
  const hasMore = isSearch(filter);
  const most = hasMore ? mostSeen : limit + 1;
  const found = await db<Found[]>`
    select w.id, w.at, f.created_at::text as sort_key
      from (${walk(db, org, { queueId, filter, after })} limit ${most}) w
      join queue_signals f on f.org_id = ${org} and f.id = w.id
     order by w.n`;
  const rows = await db<(SignalRow & { n: number })[]>`
    select ${signalColumns(db)}, w.n
      from unnest(${found.map(({ id }) => id)}::text[]) with ordinality w (id, n)
      join queue_signals f on f.org_id = ${org} and f.id = w.id ${signalState(db)}
     where f.queue_id = ${queueId} ${rest(db, filter)}
     order by w.n limit ${limit + 1}`;
  const last = found.length < most || !hasMore ? undefined : found.at(-1);
  return {
    rows: rows.map(({ n, ...row }) => {
      const { at = row.id, sort_key = "" } = found[n - 1] ?? {};
      return { id: at, sort_key, row };
    }),
    stoppedAt: last && { id: last.at, sortKey: last.sort_key },
  };
}

/** Whether the walk's index leaves a filter to look for. */
function isSearch({ type, owner_id, emitter_id }: SignalFilter): boolean {
  if (type !== undefined) return true;
  if (emitter_id !== undefined) return true; // its signals may be of another queue before it was moved
  return owner_id !== undefined; // an owner's may be in many queues
}

type Walk = {
  readonly queueId: string;
  readonly filter: SignalFilter;
  readonly after: PageKey | undefined;
};

function walk(db: Db, org: OrgId, { queueId, filter, after }: Walk) {
  const { status, owner_id: owner, emitter_id: emitter } = filter;
  if (emitter !== undefined) {
    return db`
      select f.id, f.id::text as at, row_number() over (order by f.id desc) as n from queue_signals f
       where f.emitter_id = ${emitter} and f.org_id = ${org} ${before(db, db`f.id`, after)} order by f.id desc`;
  }
  if (status === "queued") {
    return db`
      select l.id, l.place::text as at, row_number() over (order by l.place) as n from queue_signal_live l
       where l.queue_id = ${queueId} and l.org_id = ${org} and l.status = 'queued'
         ${after === undefined ? db`` : db`and l.place > ${placeOf(after)}`} order by l.place`;
  }
  if (status !== undefined && isEnd(status)) {
    return db`
      select d.signal_id as id, d.signal_id::text as at, row_number() over (order by d.signal_id desc) as n
        from queue_signal_ends d
       where d.queue_id = ${queueId} and d.org_id = ${org} and d.status = ${status} ${before(db, db`d.signal_id`, after)}
       order by d.signal_id desc`;
  }
  if (status !== undefined) {
    return db`
      select l.id, l.id::text as at, row_number() over (order by l.id desc) as n from queue_signal_live l
       where l.queue_id = ${queueId} and l.org_id = ${org} and l.status = ${status} and l.status <> 'queued'
         ${before(db, db`l.id`, after)} order by l.id desc`;
  }
  if (owner !== undefined && owner !== "") {
    return db`
      select f.id, f.id::text as at, row_number() over (order by f.id desc) as n from queue_signals f
       where f.org_id = ${org} and f.owner_id = ${owner} and f.owner_id <> '' ${before(db, db`f.id`, after)}
       order by f.id desc`;
  }
  return db`
    select f.id, f.id::text as at, row_number() over (order by f.id desc) as n from queue_signals f
     where f.queue_id = ${queueId} and f.org_id = ${org} ${before(db, db`f.id`, after)} order by f.id desc`;
}

const isEnd = (status: SignalStatus): boolean => signalEnds.some((one) => one === status);

function before(db: Db, id: ReturnType<Db>, after: PageKey | undefined) {
  return after === undefined ? db`` : db`and ${id} < ${after.id}`;
}

/** A place in line that a cursor names. One that no cursor of ours names begins at the front. */
function placeOf({ id }: PageKey): string {
  return /^\d{1,18}$/.test(id) ? id : "0";
}

function rest(db: Db, { status, type, owner_id, emitter_id }: SignalFilter) {
  return db`
    ${status === undefined ? db`` : db`and coalesce(l.status, d.status) = ${status}`}
    ${type === undefined ? db`` : db`and f.type = ${type}`}
    ${owner_id === undefined ? db`` : db`and f.owner_id = ${owner_id}`}
    ${emitter_id === undefined ? db`` : db`and f.emitter_id = ${emitter_id}`}`;
}
