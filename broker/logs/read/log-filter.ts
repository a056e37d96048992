import type { OtelLogQuery } from "../../../shared/api/otel-log-record.ts";
import { type LogSeverity, leastSeverity } from "../../../shared/log-severity.ts";
import type { LogRecord } from "../store/log-record.ts";
import { exactFilter } from "./exact-filter.ts";

/** A filter; undefined members filter nothing. */
export type LogFilter = {
  readonly minSeverity?: number | undefined;
  readonly step?: string | undefined;
  readonly sinceUs?: number | undefined;
  readonly untilUs?: number | undefined;
  /** In lower case. */
  readonly text?: string | undefined;
  readonly passes?: ((record: LogRecord) => boolean) | undefined;
};

/** Whether the filter passes everything: only then are notices of gaps shown. */
export function isOpenFilter(filter: LogFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** Whether a record passes the filter. */
export function isAskedFor(record: LogRecord, filter: LogFilter): boolean {
  const { minSeverity, step, sinceUs, untilUs, text, passes } = filter;
  if (minSeverity !== undefined && record.severity < minSeverity) return false;
  if (step !== undefined && record.step !== step) return false;
  if (sinceUs !== undefined && record.atUs < sinceUs) return false;
  if (untilUs !== undefined && record.atUs > untilUs) return false;
  if (text !== undefined && !record.body.toLowerCase().includes(text)) return false;
  return passes === undefined || passes(record);
}

type LogQuery = OtelLogQuery & {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly severity?: LogSeverity | undefined;
  readonly step?: string | undefined;
  readonly q?: string | undefined;
};

/** The filter that a request asks for; times down to the microsecond. */
export function toLogFilter(query: LogQuery): LogFilter {
  const { since, until, severity, step, q, ...exact } = query;
  return {
    minSeverity: severity && leastSeverity[severity],
    step,
    sinceUs: microseconds(since),
    untilUs: microseconds(until),
    text: q?.toLowerCase(),
    passes: exactFilter(exact),
  };
}

function microseconds(instant: string | undefined): number | undefined {
  if (instant === undefined) return undefined;
  const micros = /\.\d{3}(\d{1,3})/.exec(instant)?.[1] ?? "";
  return Date.parse(instant) * 1000 + Number(micros.padEnd(3, "0"));
}
