import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";

type Dropped = Pick<
  LogStream,
  | "dropped_from"
  | "dropped_before"
  | "dropped_records"
  | "dropped_bytes"
  | "expired_before"
  | "first_day"
>;

const warning = 13;

/**
 * The notice for missing positions in a stream: between the record that was read last, or the beginning, and
 * the next. Undefined where nothing is missing. It has the position of the first that is missing.
 */
export function noticeBetween(
  stream: Dropped,
  expected: number,
  next: Pick<LogRecord, "position" | "atUs">,
): LogRecord | undefined {
  const missing = next.position - expected;
  if (missing <= 0) return undefined;
  const notice = noticeAt(stream, expected, next.position);
  return {
    position: expected,
    atUs: next.atUs,
    severity: warning,
    body: words[notice](stream, missing),
    resource: {},
    attributes: { "svc.notice": notice, "svc.missing": missing },
    notice,
  };
}

function noticeAt(stream: Dropped, expected: number, next: number): keyof typeof words {
  const { dropped_from: from, dropped_before: before, expired_before: expired } = stream;
  if (expired !== null && expected < expired) return "deleted";
  const isDropped = from !== null && before !== null && expected < before && next > from;
  return isDropped ? "dropped" : "missing";
}

const words = { deleted: deletedWords, dropped: droppedWords, missing: missingWords } as const;

function deletedWords({ first_day: day }: Dropped, missing: number): string {
  const what = missing === 1 ? "1 record was" : `${missing} records were`;
  return `svc: ${what} deleted here: what came before ${day} is kept no longer.`;
}

function droppedWords({ dropped_records: records, dropped_bytes: bytes }: Dropped): string {
  const mebibytes = (bytes / 1024 / 1024).toFixed(1);
  return `svc: ${records} records (${mebibytes} MiB) were dropped here, to keep within what the stream or its org may hold.`;
}

function missingWords(_: Dropped, missing: number): string {
  return missing === 1
    ? "svc: 1 record is missing here; it has not arrived."
    : `svc: ${missing} records are missing here; they have not arrived.`;
}
