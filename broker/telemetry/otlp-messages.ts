import type { Message } from "./read-protobuf.ts";

// The messages of opentelemetry-proto 1.x, by the numbers of their fields.

const text = (name: string) => ({ name, type: "text" }) as const;
const one = (name: string, type: Message) => ({ name, type });
const many = (name: string, type: Message) => ({ name, type, isRepeated: true }) as const;

const anyValue: Message = {
  get fields() {
    return anyValueFields;
  },
};
const keyValue: Message = { fields: { 1: text("key"), 2: one("value", anyValue) } };
const anyValueFields: Message["fields"] = {
  1: text("stringValue"),
  2: { name: "boolValue", type: "bool" },
  3: { name: "intValue", type: "int64" },
  4: { name: "doubleValue", type: "double" },
  5: one("arrayValue", { fields: { 1: many("values", anyValue) } }),
  6: one("kvlistValue", { fields: { 1: many("values", keyValue) } }),
  7: { name: "bytesValue", type: "base64" },
};
const resource: Message = { fields: { 1: many("attributes", keyValue) } };
const scope: Message = {
  fields: { 1: text("name"), 2: text("version"), 3: many("attributes", keyValue) },
};

const event: Message = {
  fields: {
    1: { name: "timeUnixNano", type: "fixed64" },
    2: text("name"),
    3: many("attributes", keyValue),
  },
};
const link: Message = {
  fields: {
    1: { name: "traceId", type: "hex" },
    2: { name: "spanId", type: "hex" },
    4: many("attributes", keyValue),
  },
};
const span: Message = {
  fields: {
    1: { name: "traceId", type: "hex" },
    2: { name: "spanId", type: "hex" },
    4: { name: "parentSpanId", type: "hex" },
    5: text("name"),
    6: { name: "kind", type: "int32" },
    7: { name: "startTimeUnixNano", type: "fixed64" },
    8: { name: "endTimeUnixNano", type: "fixed64" },
    9: many("attributes", keyValue),
    11: many("events", event),
    13: many("links", link),
    15: one("status", { fields: { 2: text("message"), 3: { name: "code", type: "int32" } } }),
  },
};
const scopeSpans: Message = { fields: { 1: one("scope", scope), 2: many("spans", span) } };
const resourceSpans: Message = {
  fields: { 1: one("resource", resource), 2: many("scopeSpans", scopeSpans) },
};

/** ExportTraceServiceRequest */
export const traceRequest: Message = { fields: { 1: many("resourceSpans", resourceSpans) } };

const time = {
  2: { name: "startTimeUnixNano", type: "fixed64" },
  3: { name: "timeUnixNano", type: "fixed64" },
} as const;
const count = { name: "count", type: "fixed64" } as const;
const sum = { name: "sum", type: "double" } as const;
const numberPoint: Message = {
  fields: {
    ...time,
    4: { name: "asDouble", type: "double" },
    6: { name: "asInt", type: "sfixed64" },
    7: many("attributes", keyValue),
  },
};
const histogramPoint: Message = {
  fields: {
    ...time,
    4: count,
    5: sum,
    6: { name: "bucketCounts", type: "fixed64", isRepeated: true },
    7: { name: "explicitBounds", type: "double", isRepeated: true },
    9: many("attributes", keyValue),
    11: { name: "min", type: "double" },
    12: { name: "max", type: "double" },
  },
};
const buckets: Message = {
  fields: {
    1: { name: "offset", type: "sint32" },
    2: { name: "bucketCounts", type: "uint64", isRepeated: true },
  },
};
const exponentialPoint: Message = {
  fields: {
    1: many("attributes", keyValue),
    ...time,
    4: count,
    5: sum,
    6: { name: "scale", type: "sint32" },
    7: { name: "zeroCount", type: "fixed64" },
    8: one("positive", buckets),
    9: one("negative", buckets),
    12: { name: "min", type: "double" },
    13: { name: "max", type: "double" },
  },
};
const quantile: Message = {
  fields: { 1: { name: "quantile", type: "double" }, 2: { name: "value", type: "double" } },
};
const summaryPoint: Message = {
  fields: {
    ...time,
    4: count,
    5: sum,
    6: many("quantileValues", quantile),
    7: many("attributes", keyValue),
  },
};
const temporality = { name: "aggregationTemporality", type: "int32" } as const;
const points = (point: Message) => many("dataPoints", point);
const metric: Message = {
  fields: {
    1: text("name"),
    2: text("description"),
    3: text("unit"),
    5: one("gauge", { fields: { 1: points(numberPoint) } }),
    7: one("sum", {
      fields: { 1: points(numberPoint), 2: temporality, 3: { name: "isMonotonic", type: "bool" } },
    }),
    9: one("histogram", { fields: { 1: points(histogramPoint), 2: temporality } }),
    10: one("exponentialHistogram", { fields: { 1: points(exponentialPoint), 2: temporality } }),
    11: one("summary", { fields: { 1: points(summaryPoint) } }),
  },
};
const scopeMetrics: Message = { fields: { 1: one("scope", scope), 2: many("metrics", metric) } };
const resourceMetrics: Message = {
  fields: { 1: one("resource", resource), 2: many("scopeMetrics", scopeMetrics) },
};

/** ExportMetricsServiceRequest */
export const metricsRequest: Message = { fields: { 1: many("resourceMetrics", resourceMetrics) } };
