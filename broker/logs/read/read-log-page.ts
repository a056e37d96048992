import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import type { LogFilter } from "./log-filter.ts";
import { readBackward } from "./read-backward.ts";
import { readForward } from "./read-forward.ts";

/** Records in the stream's order, and the positions to go on from: after them, and before them. */
export type LogPage = {
  readonly records: readonly LogRecord[];
  readonly next: number;
  readonly previous: number;
};

type LogRequest = { readonly limit: number; readonly filter: LogFilter };

/** The most that one request reads, before compression. */
const budgetBytes = 16 * 1024 * 1024;

/** Up to `limit` records from a position on; fewer when the filter skips many. */
export async function readPageAfter(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { from, limit, filter }: LogRequest & { readonly from: number },
): Promise<LogPage> {
  const records: LogRecord[] = [];
  let next = from;
  let bytes = 0;
  for await (const batch of readForward(db, org, stream, { from, filter, wanted: limit })) {
    const room = limit - records.length;
    records.push(...batch.records.slice(0, room));
    bytes += batch.bytes;
    const isCut = batch.records.length > room;
    next = isCut ? after(records.at(-1), batch.records[room]) : batch.next;
    if (records.length >= limit || bytes >= budgetBytes) break;
  }
  return { records, next, previous: from };
}

/** The last records before a position, up to `limit`; fewer when the filter skips many. */
export async function readPageBefore(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { before, limit, filter }: LogRequest & { readonly before: number },
): Promise<LogPage> {
  let records: LogRecord[] = [];
  let previous = before;
  let bytes = 0;
  for await (const batch of readBackward(db, org, stream, { before, filter, wanted: limit })) {
    records = [...batch.records, ...records];
    previous = batch.previous;
    bytes += batch.bytes;
    if (records.length >= limit || bytes >= budgetBytes) break;
  }
  const kept = records.slice(-limit);
  const first = records.length > limit ? (kept[0]?.position ?? previous) : previous;
  return { records: kept, next: before, previous: first };
}

/** A notice has the first missing position, and its gap reaches to the next record. */
function after(last: LogRecord | undefined, following: LogRecord | undefined): number {
  if (last?.notice !== undefined && following !== undefined) return following.position;
  return (last?.position ?? 0) + 1;
}
