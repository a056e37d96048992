import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { decodeChunk } from "../store/decode-chunk.ts";
import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import { isAskedFor, isOpenFilter, type LogFilter } from "./log-filter.ts";
import { noticeBetween } from "./notice-between.ts";
import { chunksFor, type LogBatch } from "./read-forward.ts";
import { readChunksBefore } from "./read-queries.ts";

/** Records that precede those of the previous batch. */
export type EarlierBatch = Omit<LogBatch, "next"> & {
  /** All records from this position on have been returned; 1 when nothing is left. */
  readonly previous: number;
};

type BackwardReading = {
  readonly before: number;
  readonly filter: LogFilter;
  /** The most records that are needed: reading stops when an unfiltered read has found them. */
  readonly wanted: number;
};
type Later = Pick<LogRecord, "position" | "atUs">;

const firstChunks = 2;

/** A stream's records before a position, the last chunk first, to the stream's beginning. */
export async function* readBackward(
  db: Db,
  org: OrgId,
  stream: LogStream,
  { before, filter, wanted }: BackwardReading,
): AsyncGenerator<EarlierBatch> {
  const { text, ...ofChunks } = filter;
  const isOpen = isOpenFilter(filter);
  const most = isOpen ? wanted : Infinity;
  let later: Later | undefined;
  let previous = before;
  let limit = firstChunks;
  for (;;) {
    const range = { before: previous, limit, ...ofChunks };
    const chunks = await readChunksBefore(db, org, stream, range);
    for (const chunk of chunks) {
      const end = Math.min(previous, chunk.position + chunk.records);
      const from = Math.max(chunk.position, end - most);
      const found = await decodeChunk(chunk, { text, from, before: end });
      const following = later ?? { position: previous, atUs: found.at(-1)?.atUs ?? 0 };
      const notice = isOpen ? noticeBetween(stream, end, following) : undefined;
      const asked = isOpen ? found : found.filter((record) => isAskedFor(record, filter));
      previous = from;
      later = found[0];
      yield { records: notice ? [...asked, notice] : asked, previous, bytes: chunk.bytes };
      if (from > chunk.position) return;
    }
    if (chunks.length < limit) break;
    limit = chunksFor(chunks);
  }
  const first = later ?? { position: previous, atUs: Number(stream.created_at) * 1000 };
  const notice = isOpen ? noticeBetween(stream, 1, first) : undefined;
  yield { records: notice ? [notice] : [], previous: 1, bytes: 0 };
}
