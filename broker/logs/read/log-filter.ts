import type { LogRecord } from "../store/log-record.ts";

/** What records are narrowed to; what is undefined narrows nothing. */
export type LogFilter = {
  readonly minSeverity?: number | undefined;
  readonly step?: string | undefined;
  readonly sinceUs?: number | undefined;
  readonly untilUs?: number | undefined;
  /** In lower case. */
  readonly text?: string | undefined;
};

/** Whether the filter lets everything through: only then is what is missing told. */
export function isOpenFilter(filter: LogFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** Whether a record is asked for. */
export function isAskedFor(record: LogRecord, filter: LogFilter): boolean {
  const { minSeverity, step, sinceUs, untilUs, text } = filter;
  if (minSeverity !== undefined && record.severity < minSeverity) return false;
  if (step !== undefined && record.step !== step) return false;
  if (sinceUs !== undefined && record.atUs < sinceUs) return false;
  if (untilUs !== undefined && record.atUs > untilUs) return false;
  return text === undefined || record.body.toLowerCase().includes(text);
}
