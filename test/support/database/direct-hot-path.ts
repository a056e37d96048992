import type { Db } from "../../../broker/database/connect.ts";
import type { HotPath } from "../../../broker/limits/hot-path.ts";

/** The hot path where one pool serves everything. */
export function directHotPath(db: Db): HotPath {
  return {
    db,
    runAlone: (_, act) => act(db),
    separate: (flush) => ({
      ownerOf: ({ orgId }) => orgId,
      flush: (items) => flush(db, items),
    }),
  };
}
