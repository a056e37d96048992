import type { BatcherOptions } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Permits } from "./permits.ts";

type OfOrg = { readonly orgId: string };

/**
 * How claims, reports, heartbeats, appends and enqueues reach the database: in shared statements, on reserved connections.
 * Calls that would delay the others use an ordinary connection and a permit: calls of an org whose locks time
 * out, and calls that are too large to share a statement.
 */
export type HotPath = {
  readonly db: Db;
  readonly separate: <In extends OfOrg, Out>(
    flush: (db: Db, items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  ) => NonNullable<BatcherOptions<In, Out>["separate"]>;
  readonly runAlone: <Result>(orgId: string, act: (db: Db) => Promise<Result>) => Promise<Result>;
};

/** The hot path over the reserved connections (`hot`), with the ordinary ones (`db`) for the exceptions. */
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
