import type { OtelLogRecord } from "../../../shared/api/otel-log-record.ts";
import { severityWord } from "../../../shared/log-severity.ts";
import type { Attributes, LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import { instantOf } from "./to-log-record.ts";

/** A record of a stream in the flat shape that readers of OpenTelemetry's log tables know. */
export function toOtelRecord(stream: LogStream, record: LogRecord): OtelLogRecord {
  const at = instantOf(record.atUs);
  return {
    id: `${stream.id}.${record.position}`,
    org_id: stream.org_id,
    log_stream_id: stream.id,
    runner_id: stream.runner_id ?? "",
    runner_job_id: stream.owner_type === "runner_jobs" ? stream.owner_id : "",
    runner_job_execution_id: record.executionId ?? "",
    runner_job_execution_step: record.step ?? "",
    timestamp: at,
    timestamp_date: at.slice(0, 10),
    timestamp_time: `${at.slice(0, 19)}Z`,
    severity_number: record.severity,
    severity_text: record.severityText ?? severityWord(record.severity).toUpperCase(),
    body: record.body,
    service_name: wordOf(record.resource["service.name"]),
    scope_name: wordOf(record.resource["otel.scope.name"]),
    resource_attributes: textsOf(record.resource),
    log_attributes: textsOf({
      ...record.attributes,
      ...(record.notice !== undefined && { "svc.notice": record.notice }),
    }),
    trace_id: record.traceId ?? "",
    span_id: record.spanId ?? "",
    created_at: instantOf(record.observedAtUs ?? record.atUs),
  };
}

const textsOf = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, wordOf(value)]));

function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}
