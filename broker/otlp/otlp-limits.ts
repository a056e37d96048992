import { problem } from "../../shared/problem.ts";

/** The most log records, or spans and points, of one request; exporters send some hundred at a time. */
const mostRecords = 20_000;

/** A longer body of a log record is cut. */
export const mostBodyBytes = 64 * 1024;

/** Refuses a request that holds more: 413, before anything is made of it. */
export function requireFewRecords(records: number, what: "records" | "spans or points"): void {
  if (records > mostRecords) throw problem.tooManyParts(what, mostRecords);
}

/** Refuses a request with more values, names and messages than this in all: 413. */
export function requireFewParts(parts: number, most: number): void {
  if (parts > most) throw problem.tooManyParts("values", most);
}

const lists: ReadonlySet<string> = new Set([
  "resourceSpans",
  "scopeSpans",
  "spans",
  "resourceMetrics",
  "scopeMetrics",
  "metrics",
  "dataPoints",
]);

/** Refuses a request, as it was parsed, whose lists of spans, metrics or points have too many members together. */
export function requireFewMembers(request: unknown): void {
  requireFewRecords(membersIn(request), "spans or points");
}

/** Goes into no other lists, so that it costs little. */
function membersIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(inner)) members += name === "resource" ? 0 : membersIn(inner);
    else if (lists.has(name)) {
      members += inner.length;
      for (const one of inner) members += membersIn(one);
    }
  }
  return members;
}
