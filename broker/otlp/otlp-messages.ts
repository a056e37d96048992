import { mostBodyBytes } from "./otlp-limits.ts";
import { type Message, message, nestingOneOf } from "./protobuf-message.ts";

/** What an exporter sends. */
export type OtlpRequest = {
  readonly name: string;
  readonly message: Message;
  /** Values in one request: a span has some dozens. */
  readonly mostParts: number;
};

// The messages of opentelemetry-proto 1.x, by the numbers of their fields.

const text = (name: string) => ({ name, type: "text" }) as const;
const one = (name: string, type: Message) => ({ name, type });
const many = (name: string, type: Message) => ({ name, type, isRepeated: true }) as const;

const keyValueOf = (anyValue: Message): Message =>
  message({ 1: text("key"), 2: one("value", anyValue) });
const anyValueFields = (anyValue: Message) =>
  ({
    1: text("stringValue"),
    2: { name: "boolValue", type: "bool" },
    3: { name: "intValue", type: "int64" },
    4: { name: "doubleValue", type: "double" },
    5: one("arrayValue", message({ 1: many("values", anyValue) })),
    6: one("kvlistValue", message({ 1: many("values", keyValueOf(anyValue)) })),
    7: { name: "bytesValue", type: "base64" },
  }) as const;
const anyValue = nestingOneOf(anyValueFields);
const keyValue = keyValueOf(anyValue);
const attributes = { ...many("attributes", keyValue), isRemembered: true } as const;
const resource = message({ 1: attributes });
const scope = message({ 1: text("name"), 2: text("version"), 3: attributes });

/** A body is cut before it is made into text: it may be as long as a request. */
const bodyValue = nestingOneOf(() => ({
  ...anyValueFields(anyValue),
  1: { ...text("stringValue"), mostBytes: mostBodyBytes + 4 },
}));
const logRecord = message({
  1: { name: "timeUnixNano", type: "fixed64" },
  2: { name: "severityNumber", type: "int32" },
  3: text("severityText"),
  5: one("body", bodyValue),
  6: attributes,
  9: { name: "traceId", type: "hex" },
  10: { name: "spanId", type: "hex" },
  11: { name: "observedTimeUnixNano", type: "fixed64" },
});
const scopeLogs = message({
  1: one("scope", scope),
  2: { ...many("logRecords", logRecord), isRecord: true },
});
const resourceLogs = message({ 1: one("resource", resource), 2: many("scopeLogs", scopeLogs) });

export const logsRequest: OtlpRequest = {
  name: "ExportLogsServiceRequest",
  message: message({ 1: many("resourceLogs", resourceLogs) }),
  mostParts: 1_000_000,
};

const event = message({
  1: { name: "timeUnixNano", type: "fixed64" },
  2: text("name"),
  3: attributes,
});
const link = message({
  1: { name: "traceId", type: "hex" },
  2: { name: "spanId", type: "hex" },
  4: attributes,
});
const span = message({
  1: { name: "traceId", type: "hex" },
  2: { name: "spanId", type: "hex" },
  4: { name: "parentSpanId", type: "hex" },
  5: text("name"),
  6: { name: "kind", type: "int32" },
  7: { name: "startTimeUnixNano", type: "fixed64" },
  8: { name: "endTimeUnixNano", type: "fixed64" },
  9: attributes,
  11: many("events", event),
  13: many("links", link),
  15: one("status", message({ 2: text("message"), 3: { name: "code", type: "int32" } })),
});
const scopeSpans = message({ 1: one("scope", scope), 2: many("spans", span) });
const resourceSpans = message({ 1: one("resource", resource), 2: many("scopeSpans", scopeSpans) });

export const traceRequest: OtlpRequest = {
  name: "ExportTraceServiceRequest",
  message: message({ 1: many("resourceSpans", resourceSpans) }),
  mostParts: 200_000,
};

const time = {
  2: { name: "startTimeUnixNano", type: "fixed64" },
  3: { name: "timeUnixNano", type: "fixed64" },
} as const;
const count = { name: "count", type: "fixed64" } as const;
const sum = { name: "sum", type: "double" } as const;
const numberPoint = message({
  ...time,
  4: { name: "asDouble", type: "double" },
  6: { name: "asInt", type: "sfixed64" },
  7: attributes,
});
const histogramPoint = message({
  ...time,
  4: count,
  5: sum,
  6: { name: "bucketCounts", type: "fixed64", isRepeated: true },
  7: { name: "explicitBounds", type: "double", isRepeated: true },
  9: attributes,
  11: { name: "min", type: "double" },
  12: { name: "max", type: "double" },
});
const buckets = message({
  1: { name: "offset", type: "sint32" },
  2: { name: "bucketCounts", type: "uint64", isRepeated: true },
});
const exponentialPoint = message({
  1: attributes,
  ...time,
  4: count,
  5: sum,
  6: { name: "scale", type: "sint32" },
  7: { name: "zeroCount", type: "fixed64" },
  8: one("positive", buckets),
  9: one("negative", buckets),
  12: { name: "min", type: "double" },
  13: { name: "max", type: "double" },
});
const quantile = message({
  1: { name: "quantile", type: "double" },
  2: { name: "value", type: "double" },
});
const summaryPoint = message({
  ...time,
  4: count,
  5: sum,
  6: many("quantileValues", quantile),
  7: attributes,
});
const temporality = { name: "aggregationTemporality", type: "int32" } as const;
const points = (point: Message) => many("dataPoints", point);
const metric = message({
  1: text("name"),
  2: text("description"),
  3: text("unit"),
  5: one("gauge", message({ 1: points(numberPoint) })),
  7: one(
    "sum",
    message({ 1: points(numberPoint), 2: temporality, 3: { name: "isMonotonic", type: "bool" } }),
  ),
  9: one("histogram", message({ 1: points(histogramPoint), 2: temporality })),
  10: one("exponentialHistogram", message({ 1: points(exponentialPoint), 2: temporality })),
  11: one("summary", message({ 1: points(summaryPoint) })),
});
const scopeMetrics = message({ 1: one("scope", scope), 2: many("metrics", metric) });
const resourceMetrics = message({
  1: one("resource", resource),
  2: many("scopeMetrics", scopeMetrics),
});

export const metricsRequest: OtlpRequest = {
  name: "ExportMetricsServiceRequest",
  message: message({ 1: many("resourceMetrics", resourceMetrics) }),
  mostParts: 200_000,
};
