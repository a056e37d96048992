import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import type { LogFilter } from "./log-filter.ts";
import { readForward } from "./read-forward.ts";

/** The records from a position to the present end, or until there are enough; a chunk at a time. */
export async function* readRecords(
  db: Db,
  org: OrgId,
  stream: LogStream,
  {
    from,
    limit = Infinity,
    filter,
  }: { readonly from: number; readonly limit?: number | undefined; readonly filter: LogFilter },
): AsyncGenerator<readonly LogRecord[]> {
  let left = limit;
  for await (const { records } of readForward(db, org, stream, { from, filter })) {
    yield records.slice(0, left);
    left -= records.length;
    if (left <= 0) return;
  }
}
