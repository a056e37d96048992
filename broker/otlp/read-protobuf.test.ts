import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../shared/problem.ts";
import {
  bytesField,
  eightField,
  textAttribute,
  varintField,
} from "../../test/support/logs/protobuf-writer.ts";
import { logsRequest, metricsRequest, type OtlpRequest, traceRequest } from "./otlp-messages.ts";
import { message } from "./protobuf-message.ts";
import { readProtobuf } from "./read-protobuf.ts";

const resource = bytesField(1, textAttribute(1, "service.name", "probe"));
const scope = bytesField(1, bytesField(1, "a-scope"), bytesField(2, "1"));
const ofOne = (...fields: Buffer[]) =>
  bytesField(1, resource, bytesField(2, scope, bytesField(2, ...fields)));
const attribute = (number: number) => textAttribute(number, "runner_job.id", "job_1");
const nested = bytesField(6, bytesField(1, bytesField(1, "k"), bytesField(2, varintField(3, 7))));

const whole: [string, OtlpRequest, Buffer][] = [
  [
    "logs",
    logsRequest,
    ofOne(
      eightField(1, 1_790_000_000_123_456_789n),
      varintField(2, 9),
      bytesField(5, bytesField(1, "a line")),
      attribute(6),
      bytesField(6, bytesField(1, "map"), bytesField(2, nested)),
      bytesField(9, Buffer.alloc(16, 1)),
    ),
  ],
  [
    "traces",
    traceRequest,
    ofOne(
      bytesField(1, Buffer.alloc(16, 1)),
      bytesField(2, Buffer.alloc(8, 1)),
      bytesField(5, "a span"),
      eightField(7, 1_790_000_000_123_456_789n),
      attribute(9),
      bytesField(11, eightField(1, 1n), bytesField(2, "an event"), attribute(3)),
      bytesField(15, bytesField(2, "well"), varintField(3, 1)),
    ),
  ],
  [
    "metrics",
    metricsRequest,
    ofOne(
      bytesField(1, "a.metric"),
      bytesField(9, bytesField(1, eightField(4, 3n), bytesField(6, Buffer.alloc(24, 1)))),
      bytesField(10, bytesField(1, varintField(6, 3), bytesField(8, bytesField(2, "\x01\x02")))),
    ),
  ],
];

/** What it is read as, or the status of its refusal; anything else that is thrown is a fault. */
function readOrRefuse(bytes: Uint8Array, request: OtlpRequest): object | number {
  try {
    return readProtobuf(Buffer.from(bytes), request);
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
}

describe.each(whole)("a request of %s", (_, request, bytes) => {
  test("that is cut off anywhere within it is refused", () => {
    for (let length = 1; length < bytes.length; length += 1) {
      expect(readOrRefuse(bytes.subarray(0, length), request)).toBe(400);
    }
    expect(readOrRefuse(bytes, request)).toBeTypeOf("object");
  });

  test("with bytes changed, put in or left out is read or refused", () => {
    const place = fc.nat(bytes.length - 1);
    const some = fc.uint8Array({ maxLength: 12 });
    const change = (at: number, left: number, put: Uint8Array): void => {
      const parts = [bytes.subarray(0, at), put, bytes.subarray(at + left)];
      readOrRefuse(Buffer.concat(parts), request);
    };
    fc.assert(fc.property(place, fc.nat(3), some, change), { numRuns: 2000 });
  });

  test("of any bytes is read or refused", () => {
    const any = fc.uint8Array({ maxLength: 200 });
    const begun = any.map((some) => Buffer.from([0x0a, some.length, ...some]));
    const read = (some: Uint8Array): void => void readOrRefuse(some, request);
    fc.assert(fc.property(fc.oneof(any, begun), read), { numRuns: 1000 });
  });

  test("is refused where a length is larger than what follows, or than any number", () => {
    for (const length of [[0xff, 0xff, 0xff, 0xff, 0x07], Array<number>(12).fill(0xff), [0x7f]]) {
      expect(readOrRefuse(Buffer.from([0x0a, ...length]), request)).toBe(400);
    }
  });

  test("is refused with a field that begins within a message and ends outside of it", () => {
    const inner = Buffer.from([0x0a, 0x05, 0x0a, 0x20, 0, 0, 0]);
    expect(readOrRefuse(Buffer.concat([inner, Buffer.alloc(64)]), request)).toBe(400);
  });

  test("may hold fields that nobody knows, of every wire type", () => {
    const group = Buffer.from([0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06]); // field 100, begun and ended
    const others = [varintField(50, 1), eightField(51, 1n), bytesField(52, "x"), group];
    const all = Buffer.concat([...others, bytes, Buffer.from([0xad, 0x06, 1, 2, 3, 4])]);
    expect(readOrRefuse(all, request)).toEqual(readOrRefuse(bytes, request));
  });
});

test("groups without end, in each other, are refused", () => {
  expect(readOrRefuse(Buffer.alloc(100_000, 0xa3), traceRequest)).toBe(400);
  const opened = Buffer.alloc(200_000).fill(Buffer.from([0xa3, 0x06]));
  expect(readOrRefuse(opened, traceRequest)).toBe(400);
});

test("a message that holds itself for ever is refused", () => {
  let value = varintField(1, 1);
  for (let depth = 0; depth < 30; depth++) value = bytesField(5, bytesField(1, value));
  const request = bytesField(1, bytesField(1, bytesField(1, bytesField(2, value))));
  expect(() => readProtobuf(request, traceRequest)).toThrow("nested too deeply");
});

test("numbers of every kind come out as JSON would hold them", () => {
  const probe: OtlpRequest = {
    name: "Probe",
    message: message({
      1: { name: "big", type: "int64" },
      2: { name: "small", type: "sint32" },
      3: { name: "counts", type: "uint64", isRepeated: true },
      4: { name: "instant", type: "fixed64" },
      5: { name: "change", type: "sfixed64" },
      6: { name: "ratio", type: "double" },
    }),
    mostParts: 1000,
  };
  const bytes = Buffer.concat([
    varintField(1, 2n ** 64n - 1n),
    varintField(2, 3),
    varintField(3, 5),
    bytesField(3, Buffer.from([0x01, 0x96, 0x01])),
    varintField(3, 2n ** 64n - 1n),
    eightField(4, 1_790_000_000_123_456_789n),
    eightField(5, 2n ** 64n - 2n ** 60n),
    eightField(6, { double: Number.NaN }),
  ]);
  expect(readProtobuf(bytes, probe)).toEqual({
    big: -1,
    small: -2,
    counts: [5, 1, 150, "18446744073709551615"],
    instant: "1790000000123456789",
    change: "-1152921504606846976",
    ratio: "NaN",
  });
});
