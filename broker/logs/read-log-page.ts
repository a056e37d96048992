import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { decodeChunk } from "./decode-chunk.ts";
import { isAskedFor, isOpenFilter, type LogFilter } from "./log-filter.ts";
import type { LogRecord } from "./log-record.ts";
import { noticeBetween } from "./notice-between.ts";
import { chunksFor, readForward } from "./read-forward.ts";
import { readChunksBefore } from "./read-queries.ts";
import type { LogStream } from "./row.ts";

/** Records in the stream's order, and the positions to go on from: after them, and before them. */
export type LogPage = {
  readonly records: readonly LogRecord[];
  readonly next: number;
  readonly previous: number;
};

type Asked = { readonly limit: number; readonly filter: LogFilter };

/** One request looks through no more than this, before compression. */
const budgetBytes = 16 * 1024 * 1024;
const firstChunks = 2;

/** Up to `limit` records from a position on; fewer when much had to be looked through. */
export async function readPageAfter(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { from, limit, filter }: Asked & { readonly from: number },
): Promise<LogPage> {
  const records: LogRecord[] = [];
  let next = from;
  let bytes = 0;
  for await (const batch of readForward(db, org, stream, { from, filter })) {
    const room = limit - records.length;
    records.push(...batch.records.slice(0, room));
    bytes += batch.bytes;
    const isCut = batch.records.length > room;
    next = isCut ? after(records.at(-1), batch.records[room]) : batch.next;
    if (records.length >= limit || bytes >= budgetBytes) break;
  }
  return { records, next, previous: from };
}

/** The last records before a position, up to `limit`; fewer when much had to be looked through. */
export async function readPageBefore(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { before, limit, filter }: Asked & { readonly before: number },
): Promise<LogPage> {
  const { text, ...ofChunks } = filter;
  const isOpen = isOpenFilter(filter);
  let records: LogRecord[] = [];
  let previous = before;
  let bytes = 0;
  for (let chunkLimit = firstChunks; records.length < limit && bytes < budgetBytes;) {
    const range = { before: previous, limit: chunkLimit, ...ofChunks };
    const chunks = await readChunksBefore(db, org, stream, range);
    for (const chunk of chunks) {
      const found = (await decodeChunk(chunk, text)).filter(({ position }) => position < previous);
      const later = records[0] ?? { position: previous, atUs: found.at(-1)?.atUs ?? 0 };
      const end = chunk.position + found.length;
      const notice = isOpen ? noticeBetween(stream, end, later) : undefined;
      const asked = isOpen ? found : found.filter((record) => isAskedFor(record, filter));
      records = [...asked, ...(notice ? [notice] : []), ...records];
      previous = chunk.position;
      bytes += chunk.bytes;
      if (records.length >= limit) break;
    }
    if (chunks.length < chunkLimit) {
      previous = records.length > limit ? previous : 1;
      break;
    }
    chunkLimit = chunksFor(chunks);
  }
  const kept = records.slice(-limit);
  const first = records.length > limit ? (kept[0]?.position ?? previous) : previous;
  return { records: kept, next: before, previous: first };
}

/** A notice stands at the first missing position, and what it tells of reaches to the next record. */
function after(last: LogRecord | undefined, following: LogRecord | undefined): number {
  if (last?.notice !== undefined && following !== undefined) return following.position;
  return (last?.position ?? 0) + 1;
}
