import type { AuditOutcome } from "../../shared/audit.ts";
import type { Db } from "../database/connect.ts";
import type { PageKey, PageRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { AuditEventRow } from "./row.ts";

/** What a list of events is narrowed to. */
export type AuditFilter = {
  readonly actor?: string | undefined;
  readonly token?: string | undefined;
  readonly action?: string | undefined;
  readonly target_type?: string | undefined;
  readonly target_id?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

export type ListedEvent = AuditEventRow & { readonly sort_key: string };
export type AuditPage = {
  readonly rows: readonly ListedEvent[];
  /** Where the search stopped before it had enough. */
  readonly stoppedAt: PageKey | undefined;
};

type AuditRequest = PageRequest & {
  readonly filter: AuditFilter;
  /** Older events are not shown, nor those that are older than the org's own days. */
  readonly days: number;
  /** The oldest first, up to ten seconds ago: a statement that began earlier is over by then. */
  readonly isExport?: boolean;
};

/** How many events one page looks through for those that pass filters which its index does not know. */
const mostSeen = 5000;

/**
 * A page of the log, by the index of the objects, of the actor, of the token or of the time. What the index does not know is looked
 * for among so many events; then the page ends, and the next begins there.
 */
export async function listAuditEvents(db: Db, org: OrgId, asked: AuditRequest): Promise<AuditPage> {
  const { filter, limit } = asked;
  const isSearch = searched.some((name) => filter[name] !== undefined);
  const most = isSearch ? mostSeen : limit + 1;
  const found = await db<(ListedEvent & { is_found: boolean; is_last: boolean })[]>`
    select w.*, w.at::text as sort_key
      from (select f.*, ${rest(db, filter)} as is_found, f.n = ${most} as is_last
              from (select e.*, row_number() over (${order(db, asked)}) as n
                      from (${walk(db, org, asked, most)}) e) f) w
     where w.is_found or w.is_last
     ${order(db, asked)} limit ${limit + 2}`;
  const rows = found.filter((row) => row.is_found).slice(0, limit + 1);
  const end = isSearch ? found.find((row) => row.is_last) : undefined;
  return { rows, stoppedAt: end && { sortKey: end.sort_key, id: end.id } };
}

/** Filters that may be left after the walk. */
const searched = ["action", "outcome", "target_type", "token", "actor"] as const;

function walk(db: Db, org: OrgId, asked: AuditRequest, most: number) {
  const { filter } = asked;
  const events = (narrowed: ReturnType<Db>) => db`
    select * from audit_events
     where org_id = ${org} and ${narrowed} and ${times(db, org, asked)} ${order(db, asked)} limit ${most}`;
  if (filter.target_id !== undefined) {
    const id = filter.target_id;
    return db`
      select * from (
        (${events(db`target_id = ${id} and target_id <> ''`)}) union all
        (${events(db`parent_id = ${id} and parent_id <> '' and target_id <> ${id}`)})) both_of
       ${order(db, asked)} limit ${most}`;
  }
  if (filter.token !== undefined) return events(db`token_id = ${filter.token} and token_id <> ''`);
  if (filter.actor !== undefined) return events(db`actor_id = ${filter.actor}`);
  return events(db`true`);
}

/** Narrows events to those between the asked instants and after the page before, which are kept still. */
export function times(
  db: Db,
  org: OrgId,
  { filter, after, days, isExport }: Pick<AuditRequest, "filter" | "after" | "days" | "isExport">,
) {
  const key = after && db`(${after.sortKey}::text::timestamptz, ${after.id})`;
  const own = db`(select o.retain_audit_days from orgs o where o.id = ${org})`;
  const start = db`at >= (select svc_now() - make_interval(days => least(${days}, ${own})))`;
  return db`
    ${start} ${filter.from === undefined ? db`` : db`and at >= ${filter.from}::text::timestamptz`}
    ${filter.to === undefined ? db`` : db`and at < ${filter.to}::text::timestamptz`}
    ${isExport === true ? db`and at < svc_now() - interval '10 seconds'` : db``}
    ${key === undefined ? db`` : isExport === true ? db`and (at, id) > ${key}` : db`and (at, id) < ${key}`}`;
}

function order(db: Db, { isExport }: AuditRequest) {
  return isExport === true ? db`order by at, id` : db`order by at desc, id desc`;
}

function rest(db: Db, { action, outcome, target_type, token, actor }: AuditFilter) {
  return db`
    (true ${action === undefined ? db`` : db`and f.action = ${action}`}
     ${outcome === undefined ? db`` : db`and f.outcome = ${outcome}`}
     ${target_type === undefined ? db`` : db`and f.target_type = ${target_type}`}
     ${token === undefined ? db`` : db`and f.token_id = ${token}`}
     ${actor === undefined ? db`` : db`and f.actor_id = ${actor}`})`;
}
