import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { givenTelemetry } from "../../support/broker/given-telemetry.ts";

const { setup, broker } = await givenTelemetry();

async function target(signal: "traces" | "metrics") {
  const sender = await setup();
  const headers = { authorization: `Bearer ${sender.token}` };
  const resource = resourceFromAttributes({
    "service.name": "some-runner",
    "runner_job.id": sender.jobId,
  });
  const url = `${broker.url}${sender.path}/${signal}`;
  return { ...sender, resource, options: { url, headers, compression: "gzip" as never } };
}

describe("OpenTelemetry's exporters for JavaScript", () => {
  test.each([
    ["protobuf", ProtobufTraces],
    ["JSON", JsonTraces],
  ])("in %s, gzipped, send spans that come out whole", async (_, Exporter) => {
    const { traces, resource, options } = await target("traces");
    const spanProcessors = [new BatchSpanProcessor({ exporter: new Exporter(options) })];
    const provider = new TracerProvider({ resource, spanProcessors });
    const tracer = provider.getTracer("steps");
    const startMs = 1_790_000_000_000;
    const span = tracer.startSpan("größe ✓", {
      startTime: startMs,
      kind: 2,
      attributes: { step: "apply", tries: 3, share: 0.5, tags: ["a", "b"], on: true },
    });
    span.addEvent("waited", { for: "a lock" }, startMs + 1);
    span.setStatus({ code: 2, message: "no" });
    span.end(startMs + 7);
    await provider.forceFlush();
    await provider.shutdown();
    const { traceId, spanId } = span.spanContext();
    expect((await traces()).items).toEqual([
      {
        trace_id: traceId,
        span_id: spanId,
        parent_span_id: "",
        name: "größe ✓",
        kind: 3, // the protocol counts from 1
        status: { code: 2, message: "no" },
        service: "some-runner",
        scope: "steps",
        started_at: new Date(startMs).toISOString(),
        duration_ns: 7_000_000,
        attributes: { step: "apply", tries: 3, share: 0.5, tags: ["a", "b"], on: true },
        events: [
          {
            at: new Date(startMs + 1).toISOString(),
            name: "waited",
            attributes: { for: "a lock" },
          },
        ],
        links: [],
      },
    ]);
  });

  test.each([
    ["protobuf", ProtobufMetrics],
    ["JSON", JsonMetrics],
  ])("in %s, gzipped, send metrics that come out whole", async (_, Exporter) => {
    const { metrics, jobId, resource, options } = await target("metrics");
    const reader = new PeriodicExportingMetricReader({ exporter: new Exporter(options) });
    const provider = new MeterProvider({ resource, readers: [reader] });
    const meter = provider.getMeter("steps");
    meter.createCounter("steps", { unit: "1" }).add(5, { step: "plan" });
    meter.createUpDownCounter("depth").add(-2.5);
    meter.createHistogram("took", { unit: "s" }).record(0.25);
    meter.createObservableGauge("rss").addCallback((result) => result.observe(7));
    await provider.forceFlush();
    await provider.shutdown();
    const { items } = await metrics(`/v1/runner-jobs/${jobId}`);
    expect(
      items.map(({ name, kind, value }) => [name, kind, value["value"] ?? value["sum"]]),
    ).toEqual([
      ["depth", "sum", -2.5],
      ["rss", "gauge", 7],
      ["steps", "sum", 5],
      ["took", "histogram", 0.25],
    ]);
    expect(items[2]).toMatchObject({ unit: "1", attributes: { step: "plan" } });
    expect(items[2]?.value).toMatchObject({ is_monotonic: true, temporality: "cumulative" });
  });
});
