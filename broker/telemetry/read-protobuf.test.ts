import fc from "fast-check";
import { expect, test } from "vitest";
import { metricsRequest, traceRequest } from "./otlp-messages.ts";
import { type Message, NotProtobuf, readProtobuf } from "./read-protobuf.ts";

test("any bytes are a message or are refused, and nothing else", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const begun = bytes.map((some) => Buffer.from([0x0a, some.length, ...some]));
  const messages = fc.constantFrom(traceRequest, metricsRequest);
  const isRead = (some: Uint8Array, message: Message): boolean => {
    try {
      return typeof readProtobuf(Buffer.from(some), message, 1000) === "object";
    } catch (error) {
      return error instanceof NotProtobuf;
    }
  };
  fc.assert(fc.property(fc.oneof(bytes, begun), messages, isRead), { numRuns: 2000 });
});

test("a message that holds itself for ever is refused", () => {
  let value = Buffer.from([0x08, 0x01]);
  for (let depth = 0; depth < 30; depth++) {
    const list = Buffer.from([0x0a, ...length(value), ...value]);
    value = Buffer.from([0x2a, ...length(list), ...list]);
  }
  const attribute = Buffer.from([0x12, ...length(value), ...value]);
  const resource = Buffer.from([0x0a, ...length(attribute), ...attribute]);
  const spans = Buffer.from([0x0a, ...length(resource), ...resource]);
  const request = Buffer.from([0x0a, ...length(spans), ...spans]);
  expect(() => readProtobuf(request, traceRequest, 1000)).toThrow("nests too deep");
});

function length(bytes: Buffer): number[] {
  return bytes.length < 128 ? [bytes.length] : [(bytes.length % 128) | 128, bytes.length >> 7];
}

test("numbers of every kind come out as JSON would hold them", () => {
  const fields = {
    1: { name: "big", type: "int64" },
    2: { name: "small", type: "sint32" },
    3: { name: "counts", type: "uint64", isRepeated: true },
  } as const;
  const minusOne = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
  const bytes = Buffer.from([
    0x08,
    ...minusOne,
    0x10,
    0x03,
    0x18,
    0x05,
    0x1a,
    0x03,
    0x01,
    0x96,
    0x01,
  ]);
  expect(readProtobuf(bytes, { fields }, 1000)).toEqual({
    big: "-1",
    small: -2,
    counts: ["5", "1", "150"],
  });
});
