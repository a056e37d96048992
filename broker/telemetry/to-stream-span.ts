import { type LogStreamSpan, spanKinds, spanStatusCodes } from "../../shared/api/telemetry.ts";
import type { Plain } from "./plain-attributes.ts";
import type { SpanRow } from "./row.ts";
import type { SpanDetail } from "./to-spans.ts";

/** A span of a job as the spans of its log stream show it: words for numbers, and texts for values. */
export function toStreamSpan(row: SpanRow, jobId: string): LogStreamSpan {
  const { kind, status, service, scope, attributes } = row.detail as SpanDetail; // insertSpans wrote it
  const texts = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, textOf(value)]),
  );
  return {
    trace_id: row.trace_id,
    span_id: row.span_id,
    parent_span_id: row.parent_span_id,
    span_name: row.name,
    span_kind: spanKinds[kind] ?? "Unspecified",
    service_name: service,
    scope_name: scope,
    start_timestamp: row.started_at.toISOString(),
    end_timestamp: new Date(row.started_at.getTime() + row.duration_ns / 1e6).toISOString(),
    duration_ns: row.duration_ns,
    status_code: spanStatusCodes[status.code] ?? "Unset",
    status_message: status.message,
    attributes: texts,
    runner_job_id: jobId,
    runner_job_execution_id: texts["runner_job_execution.id"] ?? "",
    runner_job_execution_step: texts["runner_job_execution_step.name"] ?? "",
  };
}

const textOf = (value: Plain): string =>
  typeof value === "string" ? value : JSON.stringify(value);
