import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { givenTelemetry, spanOf, traceRequestOf } from "../../support/broker/given-telemetry.ts";

const { url, setup } = await givenTelemetry();

describe("a collector", () => {
  type Got = { path: string; headers: IncomingMessage["headers"]; body: Buffer };

  /** Answers these, the first of them first; 0 is no answer at all. */
  async function givenCollector(answers: number[] = []) {
    const got: Got[] = [];
    const server = createServer((request, response) => {
      const take = (body: Buffer): void => {
        got.push({ path: request.url ?? "", headers: request.headers, body });
        const status = answers.shift() ?? 200;
        if (status !== 0) response.writeHead(status).end("{}");
      };
      buffer(request).then(take, () => {}); // one that the broker broke off comes again
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { got, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  test("gets the very bytes, with its headers, again after it was away", async () => {
    const { token, jobId, path } = await setup();
    const { got, endpoint } = await givenCollector([503]);
    const broker = await startBroker({
      url,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b" },
    });
    const body = `${JSON.stringify(traceRequestOf(jobId, [spanOf(1)]))} `;
    expect((await broker.call(`POST ${path}/traces`, { token, body })).status).toBe(200);
    await expect.poll(() => got.length).toBe(2);
    expect(got.map((one) => one.body.toString())).toEqual([body, body]);
    expect(got[1]).toMatchObject({ path: "/v1/traces", headers: { "x-key": "a b" } });
    expect(got[1]?.headers["authorization"]).toBeUndefined();
    await expect
      .poll(async () => (await broker.call<string>("GET /metrics")).body)
      .toContain('svc_telemetry_passed_total{signal="traces",result="sent"} 1');
  });

  test("gets what is set for a signal in place of the common, and nothing when that is disabled", async () => {
    const { token, jobId, path } = await setup();
    const { got, endpoint } = await givenCollector();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=common",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-other=traces",
    };
    const off = await startBroker({ url, env: { ...env, OTEL_SDK_DISABLED: "TRUE" } });
    const on = await startBroker({ url, env });
    const body = traceRequestOf(jobId, [spanOf(1)]);
    expect((await off.call(`POST ${path}/traces`, { token, body })).status).toBe(200);
    expect((await on.call(`POST ${path}/metrics`, { token, body: {} })).status).toBe(201);
    await expect.poll(() => got.length).toBe(1);
    expect((await on.call(`POST ${path}/traces`, { token, body })).status).toBe(200);
    await expect.poll(() => got.length).toBe(2);
    expect(got).toMatchObject([
      { path: "/v1/metrics", headers: { "x-key": "common" } },
      { path: "/v1/traces", headers: { "x-other": "traces" } },
    ]);
    expect(got[1]?.headers["x-key"]).toBeUndefined();
  });

  test("that takes longer than it may is asked again", async () => {
    const { token, jobId, path } = await setup();
    const { got, endpoint } = await givenCollector([0]);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: "1000" };
    const broker = await startBroker({ url, env });
    const body = traceRequestOf(jobId, [spanOf(1)]);
    expect((await broker.call(`POST ${path}/traces`, { token, body })).status).toBe(200);
    await expect.poll(() => got.length).toBe(2);
  });

  test("that is away or refuses holds up and fails nobody", async () => {
    const { token, jobId, path } = await setup();
    const { got, endpoint } = await givenCollector([400]);
    const broker = await startBroker({
      url,
      env: {
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${endpoint}/m`,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1/t",
      },
    });
    const body = traceRequestOf(jobId, [spanOf(1)]);
    expect((await broker.call(`POST ${path}/traces`, { token, body })).status).toBe(200);
    expect((await broker.call(`POST ${path}/metrics`, { token, body: {} })).status).toBe(201);
    await expect
      .poll(async () => (await broker.call<string>("GET /metrics")).body)
      .toContain('svc_telemetry_passed_total{signal="metrics",result="refused"} 1');
    expect(got.map((one) => one.path)).toEqual(["/m"]);
  });
});
