import type { LogRecord as ShownRecord } from "../../../shared/api/log-streams.ts";
import { severityWord } from "../../../shared/log-severity.ts";
import type { LogRecord } from "../store/log-record.ts";
import { toCursor } from "./log-cursor.ts";

/** A record as the API shows it. */
export function toLogRecord(record: LogRecord): ShownRecord {
  const { observedAtUs } = record;
  return {
    cursor: toCursor(record.position),
    at: instantOf(record.atUs),
    ...(observedAtUs !== undefined && { observed_at: instantOf(observedAtUs) }),
    severity: severityWord(record.severity),
    severity_number: record.severity,
    body: record.body,
    ...(record.step !== undefined && { step: record.step }),
    ...(record.executionId !== undefined && { runner_job_execution_id: record.executionId }),
    ...(record.seq !== undefined && { seq: record.seq }),
    attributes: record.attributes,
    resource: record.resource,
    ...(record.traceId !== undefined && { trace_id: record.traceId }),
    ...(record.spanId !== undefined && { span_id: record.spanId }),
    ...(record.late && { late: true }),
    ...(record.cutFrom !== undefined && { cut_from: record.cutFrom }),
    ...(record.notice !== undefined && { notice: record.notice }),
  };
}

/** Microseconds since 1970 as RFC 3339 with microseconds. */
export function instantOf(us: number): string {
  const ms = Math.floor(us / 1000);
  const micros = String(us - ms * 1000).padStart(3, "0");
  return new Date(ms).toISOString().replace("Z", `${micros}Z`);
}
