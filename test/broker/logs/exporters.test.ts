import { OTLPLogExporter as JsonExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { storedRecords } from "../../support/logs/otlp-logs.ts";

const database = await testDatabase();
const broker = await startBroker({ url: database.url });
const setup = async () => {
  const log = await givenLog(database, broker);
  const stored = async () => await storedRecords(database.db, log.orgId, log.streamId);
  const exporterUrl = `${broker.url}${log.path}/logs`;
  return { ...log, stored, exporterUrl, headers: { authorization: `Bearer ${log.token}` } };
};

describe("OpenTelemetry's exporters for JavaScript", () => {
  test.each([
    ["protobuf", ProtobufExporter],
    ["JSON", JsonExporter],
  ])("in %s, gzipped, write logs that come out whole", async (_, Exporter) => {
    const { stored, exporterUrl, headers, executionId, jobId } = await setup();
    const exporter = new Exporter({ url: exporterUrl, headers, compression: "gzip" as never });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ "service.name": "some-runner" }),
      processors: [new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 100 })],
    });
    const logger = provider.getLogger("runner");
    for (let seq = 1; seq <= 250; seq += 1) {
      logger.emit({
        severityNumber: seq % 2 === 0 ? 9 : 17,
        severityText: seq % 2 === 0 ? "INFO" : "ERROR",
        body: `line ${seq} – ünïcode 🙂`,
        timestamp: 1_790_000_000_000 + seq,
        attributes: {
          "svc.seq": seq,
          "runner_job.id": jobId,
          "runner_job_execution.id": executionId,
          "runner_job_execution_step.name": "apply",
          list: ["a", "b"],
          part: 0.25,
        },
      });
    }
    await provider.forceFlush();
    await provider.shutdown();
    const records = await stored();
    expect(records).toHaveLength(250);
    for (const [at, record] of records.entries()) {
      expect(record).toMatchObject({
        position: at + 1,
        seq: at + 1,
        atUs: (1_790_000_000_000 + at + 1) * 1000,
        severity: at % 2 === 1 ? 9 : 17,
        severityText: at % 2 === 1 ? "INFO" : "ERROR",
        body: `line ${at + 1} – ünïcode 🙂`,
        executionId,
        step: "apply",
        attributes: { "runner_job.id": jobId, list: ["a", "b"], part: 0.25 },
        resource: { "service.name": "some-runner", "otel.scope.name": "runner" },
      });
    }
  });

  test.each([
    ["protobuf", ProtobufExporter],
    ["JSON", JsonExporter],
  ])(
    "in %s, by two loggers in turn, lose nothing: they send scope by scope",
    async (_, Exporter) => {
      const { stored, exporterUrl, headers, executionId } = await setup();
      const exporter = new Exporter({ url: exporterUrl, headers });
      const processors = [new BatchLogRecordProcessor({ exporter })];
      const provider = new LoggerProvider({ processors });
      const loggers = [provider.getLogger("even"), provider.getLogger("odd")];
      for (let seq = 1; seq <= 1024; seq += 1) {
        const attributes = { "svc.seq": seq, "runner_job_execution.id": executionId };
        loggers[seq % 2]?.emit({ body: `line ${seq}`, attributes });
      }
      await provider.forceFlush();
      await provider.shutdown();
      const records = await stored();
      expect(
        records.map(({ position, seq, resource }) => [position, seq, resource["otel.scope.name"]]),
      ).toEqual(
        Array.from({ length: 1024 }, (_, at) => [at + 1, at + 1, at % 2 === 0 ? "odd" : "even"]),
      );
    },
  );

  test("wait and send again when the broker slows them down", async () => {
    const slow = await startBroker({ url: database.url, env: { SVC_LOG_STREAM_KIB_PER_S: "2" } });
    const { stored, path: streamPath, headers } = await setup();
    const url = `${slow.url}${streamPath}/logs`;
    const exporter = new ProtobufExporter({ url, headers, timeoutMillis: 25_000 });
    const provider = new LoggerProvider({
      processors: [new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 1 })],
    });
    const logger = provider.getLogger("runner");
    for (const text of ["a", "b"]) logger.emit({ body: text.repeat(30_000) });
    await provider.forceFlush();
    await provider.shutdown();
    const bodies = (await stored()).map(({ body }) => body.slice(0, 1));
    expect(bodies.filter((first) => first !== "s")).toEqual(["a", "b"]);
    expect(bodies).toContain("s"); // svc: … its sender is slowed down
  });
});
