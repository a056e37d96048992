import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { decodeChunk } from "../store/decode-chunk.ts";
import type { LogRecord } from "../store/log-record.ts";
import { readChunks } from "../store/queries.ts";
import type { LogChunkRow, LogStream } from "../store/row.ts";
import { isAskedFor, isOpenFilter, type LogFilter } from "./log-filter.ts";
import { noticeBetween } from "./notice-between.ts";

/** Consecutive records that pass the filter. */
export type LogBatch = {
  readonly records: readonly LogRecord[];
  /** All records before this position have been returned. */
  readonly next: number;
  /** The size of what was read, before compression. */
  readonly bytes: number;
};

export type ForwardReading = {
  readonly from: number;
  /** Where to stop; by default at the stream's end. */
  readonly before?: number;
  readonly filter: LogFilter;
  /** The most records that are needed: reading stops when an unfiltered read has found them. */
  readonly wanted?: number;
};

/** The most that one statement reads, before compression, once the size of chunks is known. */
const aimBytes = 4 * 1024 * 1024;
const firstChunks = 4;
const mostChunks = 256;

/** A stream's records from a position on, a chunk at a time; only the chunks of one statement are in memory. */
export async function* readForward(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { from, before = stream.next_position, filter, wanted = Infinity }: ForwardReading,
): AsyncGenerator<LogBatch> {
  const { text, ...ofChunks } = filter;
  const isOpen = isOpenFilter(filter);
  const most = isOpen ? wanted : Infinity;
  let next = from;
  let limit = firstChunks;
  while (next < before) {
    const chunks = await readChunks(db, org, stream, { from: next, limit, ...ofChunks });
    for (const chunk of chunks) {
      if (chunk.position >= before) break;
      const whole = Math.min(chunk.position + chunk.records, before);
      const end = Math.min(whole, Math.max(chunk.position, next) + most);
      const found = await decodeChunk(chunk, { text, from: next, before: end });
      const notice = found[0] && isOpen ? noticeBetween(stream, next, found[0]) : undefined;
      const asked = isOpen ? found : found.filter((record) => isAskedFor(record, filter));
      next = end;
      yield { records: notice ? [notice, ...asked] : asked, next, bytes: chunk.bytes };
      if (end < whole) return;
    }
    if (chunks.length < limit) break;
    limit = chunksFor(chunks);
  }
  if (next < before) yield { records: [], next: before, bytes: 0 };
}

/** How many chunks like these make about the target size. */
export function chunksFor(chunks: readonly LogChunkRow[]): number {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0) / chunks.length;
  return Math.min(mostChunks, Math.max(1, Math.floor(aimBytes / Math.max(bytes, 1))));
}
