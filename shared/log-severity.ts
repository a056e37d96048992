/** OpenTelemetry's severities, the least number of each; 0 is one that was not told. */
export const leastSeverity = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
} as const;
export type LogSeverity = keyof typeof leastSeverity;

export const logSeverities = Object.keys(leastSeverity) as LogSeverity[]; // its own keys

/** The word for a number; the empty word for 0. */
export function severityWord(number: number): LogSeverity | "" {
  return logSeverities.findLast((word) => number >= leastSeverity[word]) ?? "";
}
