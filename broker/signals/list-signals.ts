import { type SignalStatus, signalEnds } from "../../shared/queue-signal.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest, PageKey } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { signalColumns, signalState } from "./queries.ts";
import type { SignalRow } from "./signal-row.ts";

/** What a list of a queue's signals is narrowed to. */
export type SignalFilter = {
  readonly status?: SignalStatus | undefined;
  readonly type?: string | undefined;
  readonly owner_id?: string | undefined;
  readonly owner_type?: string | undefined;
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

type SignalRequest = ListRequest & { readonly filter: SignalFilter; readonly isByOffset?: boolean };

/** How many signals one page looks through for those that pass a filter which its index does not know. */
const mostSeen = 2_000;
/** The same of a list by offset, which has no place to go on from. */
const mostSeenByOffset = 20_000;

/**
 * A page of a queue's signals. Each list walks an index that has its order: of the line, of a status, of an owner, of an emitter, or of
 * the queue. What the index does not know is looked for among so many signals; then the page ends, and the next begins there.
 */
export async function listSignals(
  db: Db,
  org: OrgId,
  queueId: string,
  { filter, after, limit, offset, isByOffset = false }: SignalRequest,
): Promise<SignalPage> {
  const hasMore = isSearch(filter);
  const most = hasMore ? (isByOffset ? mostSeenByOffset : mostSeen) : limit;
  const found = await db<Found[]>`
    select w.id, w.at, f.created_at::text as sort_key
      from (${walk(db, org, { queueId, filter, after })} limit ${most} offset ${hasMore ? 0 : offset}) w
     cross join lateral ${factsOf(db, org)} f
     order by w.n`;
  const rows = await db<(SignalRow & { n: number })[]>`
    select ${signalColumns(db)}, w.n
      from unnest(${found.map(({ id }) => id)}::text[]) with ordinality w (id, n)
     cross join lateral ${factsOf(db, org)} f ${signalState(db)}
     where f.queue_id = ${queueId} ${rest(db, filter)}
     order by w.n limit ${limit} offset ${hasMore ? offset : 0}`;
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
function isSearch({ type, owner_id, owner_type, emitter_id }: SignalFilter): boolean {
  if (type !== undefined || owner_type !== undefined) return true;
  if (emitter_id !== undefined) return true; // its signals may be of another queue before it was moved
  return owner_id !== undefined; // an owner's may be in many queues
}

type Walk = {
  readonly queueId: string;
  readonly filter: SignalFilter;
  readonly after: PageKey | undefined;
};

/** The facts of one signal `w`, looked up by its key: a join could be planned as a walk through those of its queue. */
function factsOf(db: Db, org: OrgId) {
  return db`(select * from queue_signals f where f.org_id = ${org} and f.id = w.id offset 0)`;
}

/**
 * The ids of a list, in its order. Each is a range of one index that is compared and ordered by all of its columns: equality of the
 * first would let the index of the ids serve the order as well, which it does by a walk through those of everybody.
 */
function walk(db: Db, org: OrgId, { queueId, filter, after }: Walk) {
  const { status, owner_id: owner, emitter_id: emitter } = filter;
  const [least, beyond] = ["", after?.id ?? afterAll];
  if (emitter !== undefined) {
    return db`
      select f.id, f.id::text as at, row_number() over () as n
        from (select f.id from queue_signals f
               where f.org_id = ${org} and f.emitter_id is not null and (f.emitter_id, f.id) > (${emitter}, ${least})
                 and (f.emitter_id, f.id) < (${emitter}, ${beyond})
               order by f.emitter_id desc, f.id desc) f`;
  }
  if (status === "queued") {
    return db`
      select l.id, l.place::text as at, row_number() over (order by l.place) as n from queue_signal_live l
       where l.queue_id = ${queueId} and l.org_id = ${org} and l.status = 'queued'
         ${after === undefined ? db`` : db`and l.place > ${placeOf(after)}`} order by l.place`;
  }
  if (status !== undefined && isEnd(status)) {
    return db`
      select d.id, d.id::text as at, row_number() over () as n
        from (select d.signal_id as id from queue_signal_ends d
               where d.org_id = ${org} and (d.queue_id, d.status, d.signal_id) > (${queueId}, ${status}, ${least})
                 and (d.queue_id, d.status, d.signal_id) < (${queueId}, ${status}, ${beyond})
               order by d.queue_id desc, d.status desc, d.signal_id desc) d`;
  }
  if (status !== undefined) {
    return db`
      select l.id, l.id::text as at, row_number() over () as n
        from (select l.id from queue_signal_live l
               where l.org_id = ${org} and l.status <> 'queued' and (l.queue_id, l.status, l.id) > (${queueId}, ${status}, ${least})
                 and (l.queue_id, l.status, l.id) < (${queueId}, ${status}, ${beyond})
               order by l.queue_id desc, l.status desc, l.id desc) l`;
  }
  if (owner !== undefined && owner !== "") {
    return db`
      select f.id, f.id::text as at, row_number() over () as n
        from (select f.id from queue_signals f
               where f.owner_id <> '' and (f.org_id, f.owner_id, f.id) > (${org}, ${owner}, ${least})
                 and (f.org_id, f.owner_id, f.id) < (${org}, ${owner}, ${beyond})
               order by f.org_id desc, f.owner_id desc, f.id desc) f`;
  }
  return db`
    select f.id, f.id::text as at, row_number() over () as n
      from (select f.id from queue_signals f
             where f.org_id = ${org} and (f.queue_id, f.id) > (${queueId}, ${least}) and (f.queue_id, f.id) < (${queueId}, ${beyond})
             order by f.queue_id desc, f.id desc) f`;
}

/** Sorts after every id. */
const afterAll = "~";

const isEnd = (status: SignalStatus): boolean => signalEnds.some((one) => one === status);

/** A place in line that a cursor names. One that no cursor of ours names begins at the front. */
function placeOf({ id }: PageKey): string {
  return /^\d{1,18}$/.test(id) ? id : "0";
}

function rest(db: Db, { status, type, owner_id, owner_type, emitter_id }: SignalFilter) {
  return db`
    ${status === undefined ? db`` : db`and coalesce(l.status, d.status) = ${status}`}
    ${type === undefined ? db`` : db`and f.type = ${type}`}
    ${owner_id === undefined ? db`` : db`and f.owner_id = ${owner_id}`}
    ${owner_type === undefined ? db`` : db`and f.owner_type = ${owner_type}`}
    ${emitter_id === undefined ? db`` : db`and f.emitter_id = ${emitter_id}`}`;
}
