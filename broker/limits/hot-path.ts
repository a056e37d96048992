import type { BatcherOptions } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Permits } from "./permits.ts";

type OfOrg = { readonly orgId: string };

/**
 * How claims, reports, beats, appends and enqueues reach the database: together, on connections that are kept for them.
 * What would hold the others up goes another way, on a permit among the rest: the calls of an org whose locks do not come
 * free, and what is too large to travel with others.
 */
export type HotPath = {
  readonly db: Db;
  readonly separate: <In extends OfOrg, Out>(
    flush: (db: Db, items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  ) => NonNullable<BatcherOptions<In, Out>["separate"]>;
  readonly runAlone: <Result>(orgId: string, act: (db: Db) => Promise<Result>) => Promise<Result>;
};

/** The way over the connections that are kept (`hot`), and around them (`db`). */
export function makeHotPath(hot: Db, db: Db, permits: Permits): HotPath {
  const runAlone: HotPath["runAlone"] = (orgId, act) =>
    permits.run({ orgId, token: "hot path" }, () => act(db));
  return {
    db: hot,
    separate: (flush) => ({
      ownerOf: ({ orgId }) => orgId,
      flush: (items, orgId) => runAlone(orgId, (around) => flush(around, items)),
    }),
    runAlone,
  };
}
