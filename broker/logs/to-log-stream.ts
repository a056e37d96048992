import type { LogStream as ShownStream } from "../../shared/api/log-streams.ts";
import { toCursor } from "./log-cursor.ts";
import type { LogStream } from "./row.ts";

/** A stream as who reads it sees it. */
export function toLogStream(row: LogStream, apiUrl: string): ShownStream {
  return {
    id: row.id,
    org_id: row.org_id,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    parent_id: row.parent_id,
    open: row.is_open,
    attrs: row.attrs,
    runner_api_url: apiUrl,
    created_at: row.created_at.toISOString(),
    records: row.records,
    bytes: row.bytes,
    missing_records: missingOf(row),
    dropped_records: row.dropped_records,
    end_cursor: toCursor(row.next_position),
  };
}

function missingOf({ sequences }: LogStream): number {
  const gaps = Object.values(sequences).flatMap((one) => one.gaps ?? []);
  return gaps.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}
