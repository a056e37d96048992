import { z } from "@hono/zod-openapi";

const texts = z.record(z.string(), z.string());

/** A record in the flat shape that readers of OpenTelemetry's log tables know: times as text, attributes as texts. */
export const otelLogRecordSchema = z
  .object({
    id: z.string().describe("Its stream and its position there."),
    org_id: z.string(),
    log_stream_id: z.string(),
    runner_id: z.string(),
    runner_job_id: z.string().describe("Empty if the stream is no job's."),
    runner_job_execution_id: z.string(),
    runner_job_execution_step: z.string(),
    timestamp: z.iso.datetime().describe("By the sender's clock, with microseconds."),
    timestamp_date: z.string().openapi({ example: "2026-01-31" }),
    timestamp_time: z.iso.datetime().describe("To the second."),
    severity_number: z.int(),
    severity_text: z.string(),
    body: z.string(),
    service_name: z.string(),
    scope_name: z.string(),
    resource_attributes: texts,
    log_attributes: texts,
    trace_id: z.string(),
    span_id: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("OtelLogRecord");
export type OtelLogRecord = z.infer<typeof otelLogRecordSchema>;

const exactly = (what: string) => z.string().optional().describe(`Only records ${what}.`);

/** What such readers narrow records by. */
export const otelLogQuery = {
  severity_text: exactly("of exactly this severity, in either case: `info`"),
  service_name: exactly("of this `service.name`"),
  scope_name: exactly("of this scope"),
  trace_id: exactly("of this trace"),
  span_id: exactly("of this span"),
  tool: exactly("with this attribute `tool`"),
  tf_operation: exactly("with this attribute `tf.operation`"),
  tf_workspace_id: exactly("with this attribute `tf.workspace_id`"),
  helm_operation: exactly("with this attribute `helm.operation`"),
  helm_release_name: exactly("with this attribute `helm.release_name`"),
  k8s_kind: exactly("with this attribute `k8s.kind`"),
  k8s_name: exactly("with this attribute `k8s.name`"),
  k8s_namespace: exactly("with this attribute `k8s.namespace`"),
};
export type OtelLogQuery = { readonly [Name in keyof typeof otelLogQuery]?: string | undefined };
