import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

export type RedriveRow = {
  readonly signal_id: string | null;
  readonly outcome: string | null;
  readonly wake: string | null;
};

/** Puts dead signals of a queue back in line: these, or at most `batch`, the oldest first. */
export async function redriveRows(
  db: Db,
  org: OrgId,
  to: {
    readonly queueId: string;
    readonly ids: readonly string[] | null;
    readonly batch: number;
  },
): Promise<readonly RedriveRow[]> {
  const ids = to.ids && [...to.ids];
  return db<RedriveRow[]>`
    select signal_id, outcome, wake from redrive_signals(${org}, ${to.queueId}, ${ids}::text[], ${to.batch})`;
}

/** What is told of signals of a queue that were not dead when it was asked what they do; nothing if the queue is deleted. */
export async function listNotDead(
  db: Db,
  org: OrgId,
  queueId: string,
  ids: readonly string[],
): Promise<readonly Pick<RedriveRow, "signal_id" | "outcome">[]> {
  return db<RedriveRow[]>`
    select a.id as signal_id, case when f.id is null then 'not-found' else 'not-dead' end as outcome
      from queues q cross join unnest(${[...ids]}::text[]) a (id)
      left join queue_signals f on f.org_id = q.org_id and f.queue_id = q.id and f.id = a.id
     where q.org_id = ${org} and q.id = ${queueId} and q.deleted_at is null`;
}

/** Whether a queue has dead signals, but for these, whose dedupe key no live one has. */
export async function hasRedrivable(
  db: Db,
  org: OrgId,
  queueId: string,
  but: readonly string[],
): Promise<boolean> {
  const [row] = await db<{ has: boolean }[]>`
    select exists (
      select from queue_signal_ends e join queue_signals f on f.org_id = e.org_id and f.id = e.signal_id
       where e.queue_id = ${queueId} and e.org_id = ${org} and e.status = 'dead' and e.signal_id <> all (${[...but]})
         and not exists (select from queue_signal_live l where l.queue_id = e.queue_id and l.dedupe_key = f.dedupe_key)) as has`;
  return row?.has === true;
}

/** The next dead signals of a queue, oldest first. */
export async function listDead(
  db: Db,
  org: OrgId,
  queueId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select e.signal_id as id from queue_signal_ends e
     where e.queue_id = ${queueId} and e.org_id = ${org} and e.status = 'dead' and e.signal_id > ${after}
     order by e.signal_id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** What a dead signal does when it is executed again, or one of its callbacks that is not made yet. */
export type DeedRow = {
  readonly signal_id: string;
  /** Which callback it is; 0: the signal itself. */
  readonly n: number;
  readonly type: string;
  /** Where a callback files it. */
  readonly into: string | null;
  readonly size: number;
};

/** What these signals of a queue would do, as far as they are dead: one signal after the other. */
export async function listDeeds(
  db: Db,
  org: OrgId,
  queueId: string,
  ids: readonly string[],
): Promise<DeedRow[]> {
  return db<DeedRow[]>`
    with dead as (
      select e.signal_id as id from queue_signal_ends e
       where e.org_id = ${org} and e.signal_id = any(${[...ids]}) and e.queue_id = ${queueId} and e.status = 'dead'
    )
    select f.id as signal_id, 0 as n, f.type, null as into, octet_length(f.contents) as size
      from dead join queue_signals f on f.org_id = ${org} and f.id = dead.id
    union all
    select c.signal_id, c.n, coalesce(c.type, c.kind), c.queue_id, octet_length(c.contents)
      from dead join queue_signal_callbacks c on c.org_id = ${org} and c.signal_id = dead.id
     where c.status in ('waiting', 'skipped')
     order by signal_id, n`;
}

/** The sealed contents of a deed, and as what they are sealed. */
export type SealedDeed = {
  readonly signal_id: string;
  readonly n: number;
  readonly sealed_id: string;
  readonly part: string;
  readonly key_id: string | null;
  readonly contents: Buffer;
};

/** The contents of some deeds, in no order. */
export async function findDeedContents(
  db: Db,
  org: OrgId,
  deeds: readonly Pick<DeedRow, "signal_id" | "n">[],
): Promise<SealedDeed[]> {
  const ids = deeds.map(({ signal_id: id }) => id);
  const ns = deeds.map(({ n }) => n);
  return db<SealedDeed[]>`
    with wanted as (select w.id, w.n from unnest(${ids}::text[], ${ns}::int[]) w (id, n))
    select f.id as signal_id, 0 as n, f.id as sealed_id, 'signal' as part, f.key_id, f.contents
      from wanted w join queue_signals f on f.org_id = ${org} and f.id = w.id where w.n = 0
    union all
    select c.signal_id, c.n, c.next_id, case c.kind when 'signal' then 'signal' else 'callback' end, c.key_id, c.contents
      from wanted w join queue_signal_callbacks c on c.org_id = ${org} and c.signal_id = w.id and c.n = w.n where w.n > 0`;
}
