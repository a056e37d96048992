import { problem } from "../../shared/problem.ts";
import { requireFewParts } from "../telemetry/otlp-limits.ts";

/** Where the reading of a message stands; a message within is read by moving `end`. */
export type Reader = { readonly bytes: Buffer; at: number; end: number; parts: number };

/** Two bytes are a whole message: so many may be in a request, texts counted as well. */
export const mostParts = 1_000_000;

/** A reader at the beginning. */
export function makeReader(bytes: Buffer): Reader {
  return { bytes, at: 0, end: bytes.length, parts: 0 };
}

/** Tags of messages and texts: a field's number and how it is written. */
export const tags = { first: 0x0a, second: 0x12 } as const;

const wire = { varint: 0, eight: 1, bytes: 2, four: 5 } as const;

/** Reads a tag, a length or a number of up to 53 bits; what is beyond is not exact. 400 when it is cut off. */
export function readVarint(reader: Reader): number {
  const { bytes } = reader;
  let value = 0;
  let factor = 1;
  for (let count = 0; count < 10; count++) {
    if (reader.at >= reader.end) throw malformed("It is cut off.");
    const byte = bytes[reader.at++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 128;
  }
  throw malformed("A number has too many bytes.");
}

/** A signed number of 64 bits; as text where a double does not hold it. */
export function readInt64(reader: Reader): number | string {
  const from = reader.at;
  const value = readVarint(reader);
  if (reader.at - from < 8) return value;
  let exact = 0n;
  for (let at = reader.at - 1; at >= from; at--) {
    exact = (exact << 7n) | BigInt((reader.bytes[at] ?? 0) & 0x7f);
  }
  const signed = BigInt.asIntN(64, exact);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : signed.toString();
}

/** Nanoseconds in eight bytes as whole microseconds; a double holds no nanoseconds of our days. */
export function readNanosAsUs(reader: Reader): number {
  const at = step(reader, 8);
  const low = reader.bytes.readUInt32LE(at);
  const high = reader.bytes.readUInt32LE(at + 4);
  return high * 4_294_967 + Math.floor((high * 296 + low) / 1000); // 2^32 is 4,294,967,296
}

/** The length of what follows, which is all there. */
export function readLength(reader: Reader): number {
  const length = readVarint(reader);
  if (length > reader.end - reader.at) throw malformed("It is cut off.");
  return length;
}

/** Moves on by so many bytes and answers where they begin. */
export function step(reader: Reader, length: number): number {
  const { at } = reader;
  if (length > reader.end - at) throw malformed("It is cut off.");
  reader.at = at + length;
  return at;
}

/** Passes a field that is not ours. */
export function skip(reader: Reader, tag: number): void {
  const type = tag & 7;
  if (tag < 8) throw malformed("A field has no number.");
  if (type === wire.varint) readVarint(reader);
  else if (type === wire.eight) step(reader, 8);
  else if (type === wire.bytes) step(reader, readLength(reader));
  else if (type === wire.four) step(reader, 4);
  else throw malformed("A field has a type that there is not.");
}

/** Calls `field` with the tag of every field of a message that has a length before it. */
export function readMessage(reader: Reader, field: (tag: number) => void): void {
  requireFewParts(++reader.parts, mostParts);
  const length = readLength(reader);
  const outer = reader.end;
  reader.end = reader.at + length;
  while (reader.at < reader.end) field(readVarint(reader));
  reader.end = outer;
}

/** Where a message, a text or bytes stand. */
export type Span = { readonly at: number; readonly end: number };

/** Passes what has a length before it, and answers where it is. */
export function passMessage(reader: Reader): Span {
  requireFewParts(++reader.parts, mostParts);
  const length = readLength(reader);
  const at = step(reader, length);
  return { at, end: at + length };
}

/** Reads within a part, and goes on where the reader stood. */
export function within(reader: Reader, { at, end }: Span, read: () => void): void {
  const outer = { at: reader.at, end: reader.end };
  reader.at = at;
  reader.end = end;
  read();
  reader.at = outer.at;
  reader.end = outer.end;
}

/** The request is no message of this kind. */
export function malformed(words: string): Error {
  return problem.malformed(
    "malformed_protobuf",
    `The body is no ExportLogsServiceRequest. ${words}`,
  );
}
