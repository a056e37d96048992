import type { LogRecord } from "./log-record.ts";
import type { LogStream } from "./row.ts";

type Dropped = Pick<
  LogStream,
  "dropped_from" | "dropped_before" | "dropped_records" | "dropped_bytes"
>;

const warning = 13;

/**
 * What stands in a stream where positions are missing: between the record that was read last, or the beginning, and
 * the next. Undefined where nothing is missing. It has the position of the first that is missing.
 */
export function noticeBetween(
  stream: Dropped,
  expected: number,
  next: Pick<LogRecord, "position" | "atUs">,
): LogRecord | undefined {
  const missing = next.position - expected;
  if (missing <= 0) return undefined;
  const isDropped =
    stream.dropped_from !== null &&
    stream.dropped_before !== null &&
    expected < stream.dropped_before &&
    next.position > stream.dropped_from;
  return {
    position: expected,
    atUs: next.atUs,
    severity: warning,
    body: isDropped ? droppedWords(stream) : missingWords(missing),
    resource: {},
    attributes: { "svc.notice": isDropped ? "dropped" : "missing", "svc.missing": missing },
    notice: isDropped ? "dropped" : "missing",
  };
}

function droppedWords({ dropped_records: records, dropped_bytes: bytes }: Dropped): string {
  const mebibytes = (bytes / 1024 / 1024).toFixed(1);
  return `svc: ${records} records (${mebibytes} MiB) were dropped here: the stream outgrew its limit.`;
}

function missingWords(missing: number): string {
  return missing === 1
    ? "svc: 1 record is missing here; it has not arrived."
    : `svc: ${missing} records are missing here; they have not arrived.`;
}
