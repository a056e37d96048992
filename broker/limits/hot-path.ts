import type { GatherOptions } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Seats } from "./permits.ts";

type OfOrg = { readonly orgId: string };

/**
 * How claims, reports, beats, appends and enqueues reach the database: together, on connections that are kept for them.
 * What would hold the others up goes another way, on a seat among the rest: the calls of an org whose locks do not come
 * free, and what is too large to travel with others.
 */
export type HotWay = {
  readonly db: Db;
  readonly apart: <In extends OfOrg, Out>(
    flush: (db: Db, items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  ) => NonNullable<GatherOptions<In, Out>["apart"]>;
  readonly alone: <Result>(orgId: string, act: (db: Db) => Promise<Result>) => Promise<Result>;
};

/** The way over the connections that are kept (`hot`), and around them (`db`). */
export function makeHotWay(hot: Db, db: Db, seats: Seats): HotWay {
  const alone: HotWay["alone"] = (orgId, act) =>
    seats.run({ orgId, token: "hot way" }, () => act(db));
  return {
    db: hot,
    apart: (flush) => ({
      ownerOf: ({ orgId }) => orgId,
      flush: (items, orgId) => alone(orgId, (around) => flush(around, items)),
    }),
    alone,
  };
}
