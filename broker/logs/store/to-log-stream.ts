import type { LogStream as ShownStream } from "../../../shared/api/log-streams.ts";
import { missingOf } from "../intake/open-sequences.ts";
import { toCursor } from "../read/log-cursor.ts";
import type { LogStream } from "./row.ts";

/** A stream as the API shows it. */
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
    missing_records: Object.values(row.sequences).reduce((sum, one) => sum + missingOf(one), 0),
    dropped_records: row.dropped_records,
    end_cursor: toCursor(row.next_position),
  };
}
