import { expect, test } from "vitest";
import { decodeChunk } from "./decode-chunk.ts";
import { encodeChunk } from "./encode-chunk.ts";
import type { LogEntry } from "./log-record.ts";

const resource = { "service.name": "svc-agent" };
const entries: LogEntry[] = [
  { atUs: 1_700_000_000_000_123, severity: 9, body: "line\none", resource, attributes: {} },
  {
    atUs: 1_699_999_999_000_000,
    observedAtUs: 1_700_000_000_000_200,
    severity: 17,
    severityText: "ERROR",
    body: '"quoted" \\ ünïcode 🙂 \u2028 \u001b[31mred',
    seq: 7,
    executionId: "exe_1",
    step: "apply",
    resource,
    attributes: { retry: 2, nested: { list: [1, "two", null] } },
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    cutFrom: 70_000,
  },
];

test("a chunk opens to the records that were put in", async () => {
  const chunk = await encodeChunk(entries);
  const records = await decodeChunk({ ...chunk, position: 41 });
  expect(records).toEqual(entries.map((entry, at) => ({ ...entry, position: 41 + at })));
});

test("a chunk tells the times, severities and steps that it holds", async () => {
  const { body, bytes, ...facts } = await encodeChunk(entries);
  expect(facts).toEqual({
    records: 2,
    firstAtUs: 1_699_999_999_000_000,
    lastAtUs: 1_700_000_000_000_123,
    minSeverity: 9,
    maxSeverity: 17,
    steps: ["apply"],
  });
  expect(body.length).toBeGreaterThan(0);
  expect(bytes).toBeGreaterThan(100);
});

test("what many records share is stored once", async () => {
  const many = Array.from({ length: 1000 }, (_, at) => ({
    atUs: at,
    severity: 9,
    body: `line ${at}`,
    executionId: "exe_01m7yq4j95ksc44qygdned1v17",
    resource: { "service.name": "agent" },
    attributes: { "runner_job.id": "job_01m7yq4j95ksc44qygdned1v17" },
  }));
  const { bytes } = await encodeChunk(many);
  expect(bytes / many.length).toBeLessThan(40);
});
