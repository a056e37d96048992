import type { Db } from "../../../broker/database/connect.ts";
import type { HotWay } from "../../../broker/limits/hot-path.ts";

/** The hot way of who has one pool for all. */
export function directWay(db: Db): HotWay {
  return {
    db,
    alone: (_, act) => act(db),
    apart: (flush) => ({
      ownerOf: ({ orgId }) => orgId,
      flush: (items) => flush(db, items),
    }),
  };
}
