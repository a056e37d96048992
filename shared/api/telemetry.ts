import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { metricsRequestSchema, partialSuccessSchema, traceRequestSchema } from "./otlp.ts";
import { json } from "./response.ts";

const tags = ["Telemetry"];
const instant = z.iso.datetime();
const attributes = z.record(z.string(), z.unknown());

const bodyOf = <Schema extends z.ZodType>(schema: Schema) => ({
  content: {
    "application/json": { schema },
    "application/x-protobuf": { schema: z.string().openapi({ format: "binary" }) },
  },
});
const encodings =
  "OTLP/HTTP as protobuf or JSON, optionally with `Content-Encoding: gzip`; answered in the same encoding. What is " +
  "not accepted is reported as a partial success. More than 20,000 spans or points in a request are a 413.";

export const createTracesRoute = createRoute("createTraces", {
  post: "/v1/runners/{runner_id}/traces",
  rule: { surface: "runner", permission: "telemetry.write", otlp: true, ownPermit: true },
  tags,
  summary: "Send spans",
  description:
    `${encodings} Spans whose attributes, or whose resource's, name a job of the runner (\`runner_job.id\`) are kept ` +
    "for it: each once, 2,000 a job. All are passed on to the collector, where there is one.",
  body: bodyOf(traceRequestSchema),
  responses: { 200: json(partialSuccessSchema, "Taken.") },
});

export const createMetricsRoute = createRoute("createMetrics", {
  post: "/v1/runners/{runner_id}/metrics",
  rule: { surface: "runner", permission: "telemetry.write", otlp: true, ownPermit: true },
  tags,
  summary: "Send metrics",
  description:
    `${encodings} The latest point of each series is kept for the runner, or for the job that it names ` +
    "(`runner_job.id`): 500 series each. All are passed on to the collector, where there is one.",
  body: bodyOf(metricsRequestSchema),
  responses: { 201: json(partialSuccessSchema, "Taken.") },
});

export const jobSpanSchema = z
  .object({
    trace_id: z.string(),
    span_id: z.string(),
    parent_span_id: z.string().describe("Empty for a root."),
    name: z.string(),
    kind: z.int().describe("As the protocol counts: 1 internal, 2 server, 3 client, …"),
    status: z.object({ code: z.int().describe("2 is an error."), message: z.string() }),
    service: z.string(),
    scope: z.string(),
    started_at: instant,
    duration_ns: z.int(),
    attributes,
    events: z.array(z.object({ at: instant, name: z.string(), attributes })),
    links: z.array(z.object({ trace_id: z.string(), span_id: z.string() })),
  })
  .openapi("RunnerJobSpan");
export type JobSpan = z.infer<typeof jobSpanSchema>;

export const getJobTracesRoute = createRoute("getJobTraces", {
  get: "/v1/runner-jobs/{job_id}/traces",
  rule: { surface: "control-plane", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "Read the spans of a job",
  description: "All that are kept, ordered by start time.",
  responses: {
    200: json(
      z.object({
        items: z.array(jobSpanSchema),
        dropped: z.int().describe("Spans that were dropped because of the limit."),
      }),
      "The spans.",
    ),
  },
});

export const spanKinds = [
  "Unspecified",
  "Internal",
  "Server",
  "Client",
  "Producer",
  "Consumer",
] as const;
export const spanStatusCodes = ["Unset", "Ok", "Error"] as const;

export const logStreamSpanSchema = z
  .object({
    trace_id: z.string(),
    span_id: z.string(),
    parent_span_id: z.string().describe("Empty for a root."),
    span_name: z.string(),
    span_kind: z.enum(spanKinds),
    service_name: z.string(),
    scope_name: z.string(),
    start_timestamp: instant,
    end_timestamp: instant,
    duration_ns: z.int(),
    status_code: z.enum(spanStatusCodes),
    status_message: z.string(),
    attributes: z
      .record(z.string(), z.string())
      .describe("As texts; a value that is none is its JSON."),
    runner_job_id: z.string(),
    runner_job_execution_id: z.string().describe("As the span says it; empty where it does not."),
    runner_job_execution_step: z.string().describe("Likewise."),
  })
  .openapi("LogStreamSpan");
export type LogStreamSpan = z.infer<typeof logStreamSpanSchema>;

export const listLogStreamSpansRoute = createRoute("listLogStreamSpans", {
  get: "/v1/log-streams/{log_stream_id}/spans",
  rule: { surface: "control-plane", permission: "logs.read", ownRunner: true },
  tags,
  summary: "Read the spans of a log stream's job",
  description:
    "All that are kept, ordered by start time; none of a stream that is no job's. `/v1/runner-jobs/{job_id}/traces` has their events and links, too.",
  responses: { 200: json(z.array(logStreamSpanSchema), "The spans.") },
});

export const metricPointSchema = z
  .object({
    name: z.string(),
    kind: z.enum(["gauge", "sum", "histogram", "exponential_histogram", "summary"]),
    unit: z.string(),
    description: z.string(),
    attributes,
    value: z
      .record(z.string(), z.unknown())
      .describe(
        "`value` for gauges and sums; otherwise `count`, `sum` and the other members of its kind.",
      ),
    at: instant,
  })
  .openapi("RunnerMetricPoint");
export type MetricPoint = z.infer<typeof metricPointSchema>;

const points = json(
  z.object({
    items: z.array(metricPointSchema),
    dropped: z
      .int()
      .describe("Series that were dropped because of the limit, counted each time they were sent."),
  }),
  "The latest point of each series.",
);

export const getRunnerMetricsRoute = createRoute("getRunnerMetrics", {
  get: "/v1/runners/{runner_id}/metrics",
  rule: { surface: "control-plane", permission: "runners.read" },
  tags,
  summary: "Read the metrics of a runner",
  description: "Metrics of the runner itself. Metrics that name a job belong to the job.",
  responses: { 200: points },
});

export const getJobMetricsRoute = createRoute("getJobMetrics", {
  get: "/v1/runner-jobs/{job_id}/metrics",
  rule: { surface: "control-plane", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "Read the metrics of a job",
  responses: { 200: points },
});
