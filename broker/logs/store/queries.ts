import type { NewLogStream } from "../../../shared/api/write-logs.ts";
import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { WantedParts } from "../intake/open-sequences.ts";
import { fullChunkBytes, type PlacedChunk } from "../intake/prepare-append.ts";
import { chunkColumns } from "../intake/write-appends.ts";
import type { LogChunkRow, LogSequenceRow, LogStream } from "./row.ts";

/** The stream's present state, written to or not; undefined when nothing in this org has a stream with this id. */
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

/** A chunk's position without its contents. Its day is `2026-11-21`. */
export type ChunkPlace = Pick<LogChunkRow, "position" | "records" | "bytes"> & {
  readonly day: string;
};

/** The places of a stream's latest chunks, in order. */
export async function listChunkPlaces(
  db: Db,
  org: OrgId,
  { id, first_day: firstDay, last_day: lastDay }: Pick<LogStream, "id" | "first_day" | "last_day">,
  most: number,
): Promise<ChunkPlace[]> {
  const rows = await db<ChunkPlace[]>`
    select c.day::text, c.position, c.records, c.bytes
      from log_chunks c
     where c.stream_id = ${id} and c.org_id = ${org}
       and c.day between ${firstDay}::text::date and ${lastDay}::text::date
     order by c.position desc
     limit ${most}`;
  return rows.toReversed();
}

export type ChunkKeys = {
  readonly streamId: string;
  readonly day: string;
  readonly positions: readonly number[];
};

/** These chunks, in order. */
export async function listChunks(
  db: Db,
  org: OrgId,
  { streamId, day, positions }: ChunkKeys,
): Promise<Pick<LogChunkRow, "position" | "bytes" | "body">[]> {
  return db<Pick<LogChunkRow, "position" | "bytes" | "body">[]>`
    select c.position, c.bytes, c.body
      from log_chunks c
     where c.stream_id = ${streamId} and c.org_id = ${org} and c.day = ${day}::text::date
       and c.position = any(${positions as number[]}::bigint[])
     order by c.position`;
}

/** Replaces several chunks by one; false, and nothing changed, when they are gone. */
export async function replaceChunks(
  db: Db,
  org: OrgId,
  { streamId, day, positions, merged }: ChunkKeys & { readonly merged: PlacedChunk },
): Promise<boolean> {
  const columns = JSON.stringify(chunkColumns(merged));
  const [row] = await db<{ is_merged: boolean }[]>`
    select merge_log_chunks(${org}, ${streamId}, ${day}::text::date, ${positions as number[]}::bigint[],
                            json_populate_record(null::log_chunk, ${columns}::text::json),
                            ${merged.body}::bytea) as is_merged`;
  return row?.is_merged === true;
}

/** The requested parts of a stream's sequences that are stored in rows of their own. */
export async function listSequenceParts(
  db: Db,
  org: OrgId,
  { streamId, executionIds, seqs }: WantedParts & { readonly streamId: string },
): Promise<LogSequenceRow[]> {
  return db<LogSequenceRow[]>`
    select distinct on (p.execution_id, p.first) p.execution_id, p.first, p.part
      from unnest(${executionIds}::text[], ${seqs}::bigint[]) w (execution_id, seq)
     cross join lateral (
           select q.execution_id, q.first, q.part
             from log_sequences q
            where q.org_id = ${org} and q.stream_id = ${streamId} and q.execution_id = w.execution_id
              and q.first <= w.seq
            order by q.first desc limit 1) p`;
}

/** Stores how many of a stream's small chunks were looked at. */
export async function forgetLoose(
  db: Db,
  org: OrgId,
  streamId: string,
  loose: number,
): Promise<void> {
  await db`
    update log_streams set loose_chunks = greatest(0, loose_chunks - ${loose})
     where org_id = ${org} and id = ${streamId}`;
}

/** Drops the middle of a stream that is larger than the limit. */
export async function trimStream(
  db: Db,
  org: OrgId,
  streamId: string,
  mostBytes: number,
): Promise<void> {
  await db`select trim_log_stream(${org}, ${streamId}, ${mostBytes})`;
}

/** Makes an operation's stream; false when its runner or parent is not there. */
export async function insertLogStream(
  db: Db,
  org: OrgId,
  stream: NewLogStream & { readonly id: string },
): Promise<boolean> {
  const { id, owner_id, owner_type, runner_id = null, parent_id = null, attrs } = stream;
  const made = await db`
    insert into log_streams (id, org_id, owner_id, owner_type, runner_id, parent_id, attrs, created_at)
    select ${id}, ${org}, ${owner_id}, ${owner_type}, ${runner_id}::text, ${parent_id}::text, ${db.json(attrs)},
           svc_now()
     where (${runner_id}::text is null
            or exists (select from runners r where r.org_id = ${org} and r.id = ${runner_id}))
       and (${parent_id}::text is null
            or exists (select from find_log_streams(array[${org}::text], array[${parent_id}::text])))`;
  return made.count > 0;
}

/** Closes a stream by hand. */
export async function closeStream(db: Db, org: OrgId, id: string): Promise<void> {
  await db`
    update log_streams set closed_at = svc_now() where org_id = ${org} and id = ${id} and closed_at is null`;
}

/** Idle streams with many small chunks, of today and yesterday; a random choice, so that none starves. */
export async function listScattered(
  db: Db,
  most: number,
): Promise<{ readonly org_id: OrgId; readonly stream_id: string }[]> {
  return db<{ org_id: OrgId; stream_id: string }[]>`
    select c.org_id, c.stream_id
      from log_chunks c
     where c.day >= (svc_now() at time zone 'UTC')::date - 1
     group by c.org_id, c.stream_id, c.day
    having count(*) filter (where c.bytes < ${fullChunkBytes}) > 3
       and max(c.received_at) < svc_now() - interval '10 min'
     order by random()
     limit ${most}`;
}
