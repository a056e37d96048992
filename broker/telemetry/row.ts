import { z } from "zod";
import { metricKinds } from "./to-points.ts";

/** A row of `runner_job_spans`. */
export const spanRow = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string(),
  name: z.string(),
  started_at: z.date(),
  duration_ns: z.number(),
  detail: z.record(z.string(), z.unknown()),
});
export type SpanRow = z.infer<typeof spanRow>;

/** A row of `runner_metric_points`. */
export const metricPointRow = z.object({
  name: z.string(),
  kind: z.enum(metricKinds),
  unit: z.string(),
  description: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  value: z.record(z.string(), z.unknown()),
  at: z.date(),
});
export type MetricPointRow = z.infer<typeof metricPointRow>;
