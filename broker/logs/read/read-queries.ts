import type { Db } from "../../database/connect.ts";
import type { ListRequest } from "../../database/page-request.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Bound } from "../../tokens/bound/bound.ts";
import { boundTo } from "../../tokens/bound/within.ts";
import type { ChunkFilter } from "../store/queries.ts";
import type { LogChunkRow, LogStream } from "../store/row.ts";

/** A stream's chunks that begin before a position, the last ones first; decodeChunk opens them. */
export async function readChunksBefore(
  db: Db,
  org: OrgId,
  stream: Pick<LogStream, "id" | "first_day" | "last_day">,
  filter: Omit<ChunkFilter, "from"> & { readonly before: number },
): Promise<LogChunkRow[]> {
  const { id, first_day: firstDay, last_day: lastDay } = stream;
  if (firstDay === null || lastDay === null) return [];
  const { before, limit, minSeverity, step, sinceUs, untilUs } = filter;
  return db<LogChunkRow[]>`
    select c.org_id, c.stream_id, c.position, c.records, c.bytes, c.first_at, c.last_at, c.min_severity,
           c.max_severity, c.steps, c.codec, c.body, c.received_at
      from log_chunks c
     where c.stream_id = ${id} and c.org_id = ${org}
       and c.day between ${firstDay}::text::date and ${lastDay}::text::date
       and c.position < ${before}
       ${minSeverity === undefined ? db`` : db`and c.max_severity >= ${minSeverity}`}
       ${step === undefined ? db`` : db`and ${step} = any(c.steps)`}
       ${sinceUs === undefined ? db`` : db`and c.last_at >= to_timestamp(${sinceUs / 1e6}::float8)`}
       ${untilUs === undefined ? db`` : db`and c.first_at <= to_timestamp(${untilUs / 1e6}::float8)`}
     order by c.position desc
     limit ${limit}`;
}

export type StreamFilter = {
  readonly ownerId?: string | undefined;
  readonly ownerType?: string | undefined;
  /** Of a token that is bound: only what it reaches. */
  readonly bound?: Bound | null;
};

/** A page of the org's streams that were written to or made by hand, newest first. */
export async function listLogStreams(
  db: Db,
  org: OrgId,
  { ownerId, ownerType, bound }: StreamFilter,
  { after, limit, offset }: ListRequest,
): Promise<(LogStream & { sort_key: string })[]> {
  return db<(LogStream & { sort_key: string })[]>`
    with page as materialized (
      select s.id from log_streams s
       where s.org_id = ${org} ${boundTo(db, "log_streams", bound)}
         ${ownerId === undefined ? db`` : db`and s.owner_id = ${ownerId}`}
         ${ownerType === undefined ? db`` : db`and s.owner_type = ${ownerType}`}
         ${after === undefined ? db`` : db`and s.id < ${after.id}`}
       order by s.id desc limit ${limit} offset ${offset}
    )
    select s.*, s.first_day::text, s.last_day::text, s.created_at::text as sort_key
      from find_log_streams(array(select ${org}::text from page), array(select p.id::text from page p)) s
     order by s.id desc`;
}
