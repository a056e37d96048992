import fc from "fast-check";
import { expect, test } from "vitest";
import { Problem } from "../../../shared/problem.ts";
import { protobufLogs } from "../../../test/support/logs/otlp-logs.ts";
import { bytesField, eightField, varintField } from "../../../test/support/logs/protobuf-writer.ts";
import { logsRequest } from "../../otlp/otlp-messages.ts";
import { readProtobuf } from "../../otlp/read-protobuf.ts";
import { toLogRequest } from "./to-log-request.ts";

const nowUs = 1_800_000_000_000_000;
const whole = protobufLogs([
  { body: "one", seq: 1, executionId: "exe_1", step: "apply" },
  { body: "two", seq: 2, executionId: "exe_1", step: "apply" },
]);

const entriesOf = (bytes: Buffer) => toLogRequest(readProtobuf(bytes, logsRequest), nowUs).entries;

/** What the bytes are read as; a refusal of the request is fine, anything else thrown is not. */
function readOrRefuse(bytes: Buffer): unknown {
  try {
    return entriesOf(bytes);
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return error.code;
    throw error;
  }
}

test("any bytes are read or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      readOrRefuse(Buffer.from(bytes));
    }),
  );
});

test("a request with a byte changed anywhere is read or refused", () => {
  const place = fc.nat(whole.length - 1);
  fc.assert(
    fc.property(place, fc.nat(255), (at, byte) => {
      const bytes = Buffer.from(whole);
      bytes[at] = byte;
      readOrRefuse(bytes);
    }),
    { numRuns: 2000 },
  );
});

/** One record with this attribute's value. */
function valueOf(value: Buffer): unknown {
  const record = bytesField(2, bytesField(6, bytesField(1, "key"), bytesField(2, value)));
  const [entry] = entriesOf(bytesField(1, bytesField(2, record)));
  return entry?.attributes["key"];
}

test("values of every kind are read, whole numbers past 2^53 as text", () => {
  const kept = (n: bigint) => valueOf(varintField(3, BigInt.asUintN(64, n)));
  expect(kept(-7n)).toBe(-7);
  expect(kept(2n ** 53n - 1n)).toBe(2 ** 53 - 1);
  expect(kept(2n ** 62n)).toBe("4611686018427387904");
  expect(kept(-(2n ** 63n))).toBe("-9223372036854775808");
  expect(valueOf(varintField(2, 1))).toBe(true);
  expect(valueOf(eightField(4, { double: -0.5 }))).toBe(-0.5);
  expect(valueOf(eightField(4, { double: Infinity }))).toBe("Infinity");
  expect(valueOf(bytesField(7, Buffer.from([255, 0])))).toBe("/wA=");
  const list = bytesField(5, bytesField(1, varintField(3, 1)), bytesField(1, bytesField(1, "b")));
  expect(valueOf(list)).toEqual([1, "b"]);
  const map = bytesField(6, bytesField(1, bytesField(1, "k"), bytesField(2, varintField(2, 0))));
  expect(valueOf(map)).toEqual({ k: false });
});

test("a value that nests without end is refused", () => {
  let value = varintField(3, 1);
  for (let depth = 0; depth < 1000; depth += 1) value = bytesField(5, bytesField(1, value));
  const record = bytesField(2, bytesField(5, value));
  expect(readOrRefuse(bytesField(1, bytesField(2, record)))).toBe("malformed_protobuf");
});

test("a name that reaches for a prototype is left out", () => {
  const pair = bytesField(6, bytesField(1, "__proto__"), bytesField(2, bytesField(1, "x")));
  const request = bytesField(1, bytesField(2, bytesField(2, pair)));
  expect(entriesOf(request)[0]?.attributes).toEqual({});
});

test("a record is read alike as protobuf and as JSON", () => {
  const stringValue = "x";
  const attributes = [
    { key: "svc.seq", value: { intValue: "3" } },
    { key: "runner_job_execution.id", value: { stringValue: "exe_1" } },
    { key: "runner_job_execution_step.name", value: { stringValue: "apply" } },
  ];
  const record = { timeUnixNano: "1790000000123456789", severityNumber: 9, body: { stringValue } };
  const resource = {
    attributes: [{ key: "service.name", value: { stringValue: "probe" } }],
  };
  const scopeLogs = [{ scope: { name: "a-scope" }, logRecords: [{ ...record, attributes }] }];
  const json = { resourceLogs: [{ resource, scopeLogs }] };
  const atNs = 1_790_000_000_123_456_789n;
  const sent = { body: "x", seq: 3, executionId: "exe_1", step: "apply", severity: 9, atNs };
  expect(entriesOf(protobufLogs([sent]))).toEqual(toLogRequest(json, nowUs).entries);
});

test("a long body is cut, and its length told, in either encoding", () => {
  const body = "é".repeat(40_000);
  const json = {
    resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: body } }] }] }],
  };
  for (const [entry] of [entriesOf(protobufLogs([{ body }])), toLogRequest(json, nowUs).entries]) {
    expect(entry?.cutFrom).toBe(80_000);
    expect(entry?.body.startsWith("é".repeat(32_768))).toBe(true);
    expect(entry?.body.endsWith("é\nsvc: cut here, it had 80000 bytes.")).toBe(true);
  }
});
