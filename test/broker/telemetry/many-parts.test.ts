import { describe, expect, test } from "vitest";
import { givenTelemetry, startedNs } from "../../support/broker/given-telemetry.ts";
import { bytesField } from "../../support/logs/protobuf-writer.ts";

const { setup, broker } = await givenTelemetry();
const mebibyte = 1024 * 1024;
/** Messages of two bytes each. */
const empties = (tag: number, bytes: number) => Buffer.alloc(bytes).fill(Buffer.from([tag, 0]));
const many = (text: string, count: number) => `[${`${text},`.repeat(count - 1)}${text}]`;

describe("telemetry that unpacks to more than anybody means to send", () => {
  test.each<[string, "traces" | "metrics", () => Buffer]>([
    ["spans", "traces", () => bytesField(1, bytesField(2, empties(0x12, mebibyte)))],
    ["attributes", "traces", () => bytesField(1, bytesField(1, empties(0x0a, mebibyte)))],
    ["metrics", "metrics", () => bytesField(1, bytesField(2, empties(0x12, mebibyte)))],
    [
      "counts of one point",
      "metrics",
      () => {
        const point = bytesField(8, bytesField(2, Buffer.alloc(mebibyte)));
        const metric = bytesField(2, bytesField(10, bytesField(1, point)));
        return bytesField(1, bytesField(2, metric));
      },
    ],
  ])("is 413: %s as protobuf", async (_, signal, make) => {
    const { sendBytes } = await setup();
    expect((await sendBytes(signal, make(), true)).response.status).toBe(413);
  });

  test.each([
    ["spans", "traces", `{"resourceSpans":[{"scopeSpans":[{"spans":${many("{}", 20_001)}}]}]}`],
    ["lists of spans", "traces", `{"resourceSpans":${many("{}", 300_000)}}`],
    [
      "metrics",
      "metrics",
      `{"resourceMetrics":[{"scopeMetrics":[{"metrics":${many("{}", 20_001)}}]}]}`,
    ],
  ])("is 413: %s as JSON", async (_, signal, body) => {
    const { token, path } = await setup();
    const refused = await broker.call(`POST ${path}/${signal}`, { token, body });
    expect(refused).toMatchObject({ status: 413, body: { code: "too_many_parts" } });
  });

  test("is 413 where many points repeat a long resource", async () => {
    const { token, path } = await setup();
    const stringValue = "v".repeat(4000);
    const attributes = Array.from({ length: 20 }, (_, n) => ({
      key: `k${n}`,
      value: { stringValue },
    }));
    const metrics = Array.from({ length: 1000 }, (_, n) => ({
      name: `m${n}`,
      gauge: { dataPoints: [{ timeUnixNano: String(startedNs), asInt: "1" }] },
    }));
    const body = { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] };
    expect((await broker.call(`POST ${path}/metrics`, { token, body })).status).toBe(413);
  });
});

test("a request with a thousand wrong spans is told of the first hundred", async () => {
  const { token, path } = await setup();
  const body = `{"resourceSpans":[{"scopeSpans":[{"spans":${many("{}", 1000)}}]}]}`;
  const refused = await broker.call<{ errors: unknown[] }>(`POST ${path}/traces`, { token, body });
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toHaveLength(100);
});
