import { z } from "@hono/zod-openapi";

// OTLP's own JSON: names as the protocol has them; what is not listed is let through and not kept.

export type AnyValue = {
  stringValue?: string | null | undefined;
  boolValue?: boolean | null | undefined;
  intValue?: string | number | null | undefined;
  doubleValue?: number | string | null | undefined;
  bytesValue?: string | null | undefined;
  arrayValue?: { values?: AnyValue[] | null | undefined } | null | undefined;
  kvlistValue?: { values?: KeyValue[] | null | undefined } | null | undefined;
};
export type KeyValue = { key: string; value?: AnyValue | null | undefined };

/** A 64-bit number: decimal text by the protocol's rule; numbers are taken as well. */
const int64 = z.union([
  z.string().regex(/^-?\d{1,20}$/, "Must be a whole number, of 20 digits at most."),
  z.int(),
]);
/** JSON has no NaN and no infinity: the protocol writes them as words. */
const double = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish();

const anyValue: z.ZodType<AnyValue> = z
  .lazy(() =>
    z.object({
      stringValue: z.string().nullish(),
      boolValue: z.boolean().nullish(),
      intValue: int64.nullish(),
      doubleValue: double.nullish(),
      bytesValue: z.string().nullish(),
      arrayValue: z.object({ values: list(anyValue) }).nullish(),
      kvlistValue: z.object({ values: list(keyValue) }).nullish(),
    }),
  )
  .openapi("OtlpAnyValue", { type: "object" });
const keyValue: z.ZodType<KeyValue> = z
  .object({ key: z.string(), value: anyValue.nullish() })
  .openapi("OtlpKeyValue", { type: "object" });

const attributes = list(keyValue);
const resource = z.object({ attributes }).nullish();
const scope = z.object({ name: z.string().nullish(), attributes }).nullish();

const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.int().nullish(),
  startTimeUnixNano: int64.nullish(),
  endTimeUnixNano: int64.nullish(),
  attributes,
  events: list(z.object({ timeUnixNano: int64.nullish(), name: z.string().nullish(), attributes })),
  links: list(z.object({ traceId: z.string(), spanId: z.string(), attributes })),
  status: z.object({ code: z.int().nullish(), message: z.string().nullish() }).nullish(),
});
export type OtlpSpan = z.infer<typeof spanSchema>;

/** ExportTraceServiceRequest */
export const traceRequestSchema = z.object({
  resourceSpans: list(
    z.object({ resource, scopeSpans: list(z.object({ scope, spans: list(spanSchema) })) }),
  ),
});
export type TraceRequest = z.infer<typeof traceRequestSchema>;

const pointSchema = z.object({
  startTimeUnixNano: int64.nullish(),
  timeUnixNano: int64.nullish(),
  attributes,
  asDouble: double.nullish(),
  asInt: int64.nullish(),
  count: int64.nullish(),
  sum: double.nullish(),
  min: double.nullish(),
  max: double.nullish(),
  bucketCounts: list(int64),
  explicitBounds: list(double),
  scale: z.int().nullish(),
  zeroCount: int64.nullish(),
  quantileValues: list(z.object({ quantile: double.nullish(), value: double.nullish() })),
});
export type OtlpPoint = z.infer<typeof pointSchema>;
const dataPoints = list(pointSchema);
const temporality = z.int().nullish();

const metricSchema = z.object({
  name: z.string(),
  description: z.string().nullish(),
  unit: z.string().nullish(),
  gauge: z.object({ dataPoints }).nullish(),
  sum: z
    .object({
      dataPoints,
      aggregationTemporality: temporality,
      isMonotonic: z.boolean().nullish(),
    })
    .nullish(),
  histogram: z.object({ dataPoints, aggregationTemporality: temporality }).nullish(),
  exponentialHistogram: z.object({ dataPoints, aggregationTemporality: temporality }).nullish(),
  summary: z.object({ dataPoints }).nullish(),
});
export type OtlpMetric = z.infer<typeof metricSchema>;

/** ExportMetricsServiceRequest */
export const metricsRequestSchema = z.object({
  resourceMetrics: list(
    z.object({ resource, scopeMetrics: list(z.object({ scope, metrics: list(metricSchema) })) }),
  ),
});
export type MetricsRequest = z.infer<typeof metricsRequestSchema>;

/** What an exporter is answered: `{}`, or what was not taken and why. */
export const partialSuccessSchema = z.object({
  partialSuccess: z
    .object({
      rejectedSpans: z.string().optional(),
      rejectedDataPoints: z.string().optional(),
      errorMessage: z.string(),
    })
    .optional(),
});
