import type { Db } from "../../database/connect.ts";
import { growingCache } from "../../growing-cache.ts";
import type { Log } from "../../log.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** The volume that orgs have logged today at all brokers, as of a few seconds ago. */
export type OrgUsage = {
  readonly add: (orgId: OrgId, bytes: number) => void;
  readonly isOver: (orgId: OrgId) => boolean;
  readonly stop: () => Promise<void>;
};

const everyMs = 5_000;
/** So many orgs' totals are remembered; one that was forgotten is known again once its next records are counted. */
const mostOrgs = 50_000;

/** Counts in memory and adds to the database at intervals; without a limit nothing is counted. */
export function makeOrgUsage(db: Db, mostBytesPerDay: number, log: Log): OrgUsage {
  let fresh = new Map<OrgId, number>();
  let adding: ReadonlyMap<OrgId, number> = new Map();
  const totals = growingCache<OrgId, number>(mostOrgs);
  let syncedAtMs = -Infinity;
  let syncing: Promise<void> | undefined;

  async function sync(): Promise<void> {
    adding = fresh;
    fresh = new Map();
    syncedAtMs = performance.now();
    try {
      for (const [orgId, bytes] of await addToday(db, adding)) totals.set(orgId, bytes);
    } catch (error) {
      for (const [orgId, bytes] of adding) fresh.set(orgId, (fresh.get(orgId) ?? 0) + bytes);
      log.warn({ err: error }, "could not count the logs of an org; it will be retried");
    }
    adding = new Map();
    syncing = undefined;
  }

  /** An org's known volume, including what is on its way to the database. */
  function total(orgId: OrgId): number {
    return [totals, adding, fresh].reduce((sum, counted) => sum + (counted.get(orgId) ?? 0), 0);
  }

  return {
    add: (orgId, bytes) => {
      if (mostBytesPerDay === 0) return;
      fresh.set(orgId, (fresh.get(orgId) ?? 0) + bytes);
      if (performance.now() - syncedAtMs > everyMs) syncing ??= sync();
    },
    isOver: (orgId) => mostBytesPerDay > 0 && total(orgId) > mostBytesPerDay,
    stop: async () => {
      await syncing;
      if (fresh.size > 0) await sync();
    },
  };
}

async function addToday(db: Db, added: ReadonlyMap<OrgId, number>): Promise<[OrgId, number][]> {
  const rows = await db<{ org_id: OrgId; bytes: number }[]>`
    insert into log_org_days as d (org_id, day, bytes)
    select a.org_id, (svc_now() at time zone 'UTC')::date, a.bytes
      from unnest(${[...added.keys()]}::text[], ${[...added.values()].map(Math.round)}::bigint[]) a (org_id, bytes)
     order by a.org_id
        on conflict (org_id, day) do update set bytes = d.bytes + excluded.bytes
    returning d.org_id, d.bytes`;
  return rows.map(({ org_id, bytes }) => [org_id, bytes]);
}
