import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import { type Tailing, tailLog } from "./tail-log.ts";

/** What comes next of a stream, where the one after it begins, and whether that is there already. */
export type NextRecords = {
  readonly records: readonly LogRecord[];
  readonly next: number;
  readonly hasMore: boolean;
};

type Tail = Parameters<typeof tailLog>;
type Asked = Omit<Tailing, "idleMs"> & { readonly waitMs: number; readonly most: number };

/** The next records of a stream, `most` at most: those that are there, or the first that come within the time; none where none do, and then `next` is behind those that the filter left out. */
export async function nextRecords(
  parts: Tail[0],
  org: Tail[1],
  found: LogStream,
  { from, filter, signal, waitMs, most }: Asked,
): Promise<NextRecords> {
  const tailing = { from, filter, signal, idleMs: waitMs };
  for await (const { kind, batch } of tailLog(parts, org, found, tailing)) {
    if (kind !== "records") return { records: [], next: batch.next, hasMore: false };
    const { records } = batch;
    const next = records[most]?.position ?? batch.next;
    return { records: records.slice(0, most), next, hasMore: next < found.next_position };
  }
  return { records: [], next: from, hasMore: false };
}
