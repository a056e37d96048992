import { leastSeverity, type LogSeverity } from "../../../shared/log-severity.ts";
import type { LogFilter } from "./log-filter.ts";

/** The filter that a request asks for; times down to the microsecond. */
export function toLogFilter(query: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly severity?: LogSeverity | undefined;
  readonly step?: string | undefined;
  readonly q?: string | undefined;
}): LogFilter {
  const { since, until, severity, step, q } = query;
  return {
    minSeverity: severity && leastSeverity[severity],
    step,
    sinceUs: microseconds(since),
    untilUs: microseconds(until),
    text: q?.toLowerCase(),
  };
}

function microseconds(instant: string | undefined): number | undefined {
  if (instant === undefined) return undefined;
  const micros = /\.\d{3}(\d{1,3})/.exec(instant)?.[1] ?? "";
  return Date.parse(instant) * 1000 + Number(micros.padEnd(3, "0"));
}
