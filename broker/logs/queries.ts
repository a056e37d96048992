import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { LogChunkRow, LogStream } from "./row.ts";

/** The stream as it is now, written to or not; undefined when nothing in this org has a stream of that id. */
export async function findLogStream(
  db: Db,
  org: OrgId,
  id: string,
): Promise<LogStream | undefined> {
  const [row] = await db<LogStream[]>`
    select s.*, s.first_day::text, s.last_day::text
      from find_log_streams(array[${org}::text], array[${id}::text]) s`;
  return row;
}

export type ChunkFilter = {
  /** A position: chunks that hold it or come after it. */
  readonly from: number;
  /** The most chunks. */
  readonly limit: number;
  /** Only chunks that may hold a record of that severity at least, of that step, of that time (µs since 1970). */
  readonly minSeverity?: number | undefined;
  readonly step?: string | undefined;
  readonly sinceUs?: number | undefined;
  readonly untilUs?: number | undefined;
};

/** A stream's chunks from a position on, in order; decodeChunk opens them. */
export async function readChunks(
  db: Db,
  org: OrgId,
  stream: Pick<LogStream, "id" | "first_day" | "last_day">,
  filter: ChunkFilter,
): Promise<LogChunkRow[]> {
  const { id, first_day: firstDay, last_day: lastDay } = stream;
  if (firstDay === null || lastDay === null) return [];
  const { from, limit, minSeverity, step, sinceUs, untilUs } = filter;
  const rows = await db<LogChunkRow[]>`
    select c.org_id, c.stream_id, c.position, c.records, c.bytes, c.first_at, c.last_at, c.min_severity,
           c.max_severity, c.steps, c.codec, c.body, c.received_at
      from log_chunks c
     where c.stream_id = ${id} and c.org_id = ${org}
       and c.day between ${firstDay}::text::date and ${lastDay}::text::date
       and c.position >= coalesce((
             select b.position from log_chunks b
              where b.stream_id = ${id} and b.day between ${firstDay}::text::date and ${lastDay}::text::date
                and b.position <= ${from}
              order by b.position desc limit 1), 0)
       and c.position + c.records > ${from}
       ${minSeverity === undefined ? db`` : db`and c.max_severity >= ${minSeverity}`}
       ${step === undefined ? db`` : db`and ${step} = any(c.steps)`}
       ${sinceUs === undefined ? db`` : db`and c.last_at >= to_timestamp(${sinceUs / 1e6}::float8)`}
       ${untilUs === undefined ? db`` : db`and c.first_at <= to_timestamp(${untilUs / 1e6}::float8)`}
     order by c.position
     limit ${limit}`;
  return rows;
}
