import type { CompositeStatus } from "../../shared/api/composite-status.ts";
import type { StatusHistoryRow } from "./row.ts";

type Present = { readonly status: string; readonly description: string; readonly at: Date };

/**
 * A status with its history, as the API shows it. `rows` are the owner's, newest first; the newest is the
 * present status. An owner whose history was deleted shows only its present status.
 */
export function toCompositeStatus(
  present: Present,
  rows: readonly StatusHistoryRow[] = [],
): CompositeStatus {
  const [head = { ...present, metadata: {} }, ...earlier] = rows;
  return { ...toEntry(head), history: earlier.toReversed().map(toEntry) };
}

function toEntry(
  row: Present & { metadata: Record<string, unknown> },
): Omit<CompositeStatus, "history"> {
  return {
    status: row.status,
    status_human_description: row.description,
    created_at_ts: row.at.getTime(),
    metadata: row.metadata,
  };
}
