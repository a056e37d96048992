import type { OtelLogQuery } from "../../../shared/api/otel-log-record.ts";
import { severityWord } from "../../../shared/log-severity.ts";
import type { LogRecord } from "../store/log-record.ts";

/** What each parameter compares: of parameters that are not here, the attribute of that name, whose first word may end in a dot. */
const valueOf: Partial<Record<keyof OtelLogQuery, (record: LogRecord) => unknown>> = {
  service_name: ({ resource }) => resource["service.name"],
  scope_name: ({ resource }) => resource["otel.scope.name"],
  trace_id: ({ traceId }) => traceId,
  span_id: ({ spanId }) => spanId,
};

/** Whether a record has exactly the values that are asked for; undefined where none are. */
export function exactFilter(query: OtelLogQuery): ((record: LogRecord) => boolean) | undefined {
  const asked = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name === "severity_text") return [isOfSeverity(value.toLowerCase())];
    const read = valueOf[name as keyof OtelLogQuery] ?? attributeOf(name); // its own keys
    return [(record: LogRecord) => textOf(read(record)) === value];
  });
  return asked.length === 0 ? undefined : (record) => asked.every((passes) => passes(record));
}

/** By the sender's word, or by that for its number. */
const isOfSeverity =
  (word: string) =>
  ({ severity, severityText }: LogRecord): boolean =>
    severityText?.toLowerCase() === word || severityWord(severity) === word;

function attributeOf(name: string): (record: LogRecord) => unknown {
  const dotted = name.replace("_", ".");
  return ({ attributes }) => attributes[dotted] ?? attributes[name];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
