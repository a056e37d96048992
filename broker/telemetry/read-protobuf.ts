import { requireFewParts } from "./otlp-limits.ts";

/** How the bytes of a field are read; the words say what becomes of them in OTLP's JSON. */
type Scalar =
  | "text"
  | "hex" // ids of traces and spans
  | "base64"
  | "bool"
  | "double"
  | "fixed32"
  | "fixed64" // 64-bit numbers become decimal text
  | "sfixed64"
  | "int32"
  | "sint32"
  | "int64"
  | "uint64";
type Field = {
  readonly name: string;
  readonly type: Scalar | Message;
  readonly isRepeated?: true;
};
/** A message by its field numbers; a getter where it holds itself. */
export type Message = { readonly fields: Readonly<Record<number, Field>> };

type Members = Record<string, unknown>;

/** The bytes are no such message: cut off, or nested too deep. */
export class NotProtobuf extends Error {
  override readonly name = "NotProtobuf";
}

const maxDepth = 40;
const wire = { varint: 0, eight: 1, bytes: 2, four: 5 } as const;

/**
 * The message as its JSON encoding would be parsed; unknown fields are skipped. Throws NotProtobuf; a Problem (413) when
 * it holds more than `mostParts` values.
 */
export function readProtobuf(bytes: Buffer, message: Message, mostParts: number): Members {
  const count = { parts: 0, most: mostParts };
  return readMessage({ bytes, at: 0, end: bytes.length, count }, message, 0);
}

type Reader = {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  /** Of the whole request. */
  readonly count: { parts: number; readonly most: number };
};

function readMessage(reader: Reader, { fields }: Message, depth: number): Members {
  if (depth > maxDepth) throw new NotProtobuf("It nests too deep.");
  countPart(reader);
  const members: Members = {};
  while (reader.at < reader.end) {
    const tag = Number(readVarint(reader));
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    const field = fields[number];
    if (number === 0) throw new NotProtobuf("A field has no number.");
    if (field === undefined) skip(reader, wireType);
    else if (field.isRepeated !== true) {
      members[field.name] = readValue(reader, field, wireType, depth);
    } else {
      const list = (members[field.name] ??= []) as unknown[]; // only this branch makes it
      for (const value of readList(reader, field, wireType, depth)) list.push(value);
    }
  }
  return members;
}

/** One element, or several packed into bytes. */
function readList(reader: Reader, field: Field, wireType: number, depth: number): unknown[] {
  const { type } = field;
  const isPacked = wireType === wire.bytes && typeof type === "string" && wireOf(type) !== wireType;
  if (!isPacked) return [readValue(reader, field, wireType, depth)];
  const inner = take(reader);
  const values: unknown[] = [];
  while (inner.at < inner.end) values.push(readScalar(inner, type));
  return values;
}

function readValue(reader: Reader, { type }: Field, wireType: number, depth: number): unknown {
  const expected = typeof type === "string" ? wireOf(type) : wire.bytes;
  if (wireType !== expected) throw new NotProtobuf("A field has another type.");
  return typeof type === "string"
    ? readScalar(reader, type)
    : readMessage(take(reader), type, depth + 1);
}

function wireOf(type: Scalar): number {
  if (type === "text" || type === "hex" || type === "base64") return wire.bytes;
  if (type === "double" || type === "fixed64" || type === "sfixed64") return wire.eight;
  return type === "fixed32" ? wire.four : wire.varint;
}

const readers: Readonly<Record<Scalar, (reader: Reader) => unknown>> = {
  text: (reader) => textOf(take(reader), "utf8"),
  hex: (reader) => textOf(take(reader), "hex"),
  base64: (reader) => textOf(take(reader), "base64"),
  bool: (reader) => readVarint(reader) !== 0n,
  double: (reader) => reader.bytes.readDoubleLE(step(reader, 8)),
  fixed32: (reader) => reader.bytes.readUInt32LE(step(reader, 4)),
  fixed64: (reader) => reader.bytes.readBigUInt64LE(step(reader, 8)).toString(),
  sfixed64: (reader) => reader.bytes.readBigInt64LE(step(reader, 8)).toString(),
  int32: (reader) => Number(BigInt.asIntN(32, readVarint(reader))),
  sint32: (reader) => unzigzag(Number(BigInt.asUintN(32, readVarint(reader)))),
  int64: (reader) => BigInt.asIntN(64, readVarint(reader)).toString(),
  uint64: (reader) => readVarint(reader).toString(),
};

function readScalar(reader: Reader, type: Scalar | Message): unknown {
  countPart(reader);
  if (typeof type !== "string") throw new NotProtobuf("A message is no scalar.");
  return readers[type](reader);
}

function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[step(reader, 1)] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw new NotProtobuf("A number has too many bytes.");
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** The bytes of a length-delimited field, as a reader of their own. */
function take(reader: Reader): Reader {
  const length = Number(readVarint(reader));
  const at = step(reader, length);
  return { bytes: reader.bytes, at, end: at + length, count: reader.count };
}

function countPart({ count }: Reader): void {
  requireFewParts(++count.parts, count.most);
}

function skip(reader: Reader, wireType: number): void {
  if (wireType === wire.varint) readVarint(reader);
  else if (wireType === wire.eight) step(reader, 8);
  else if (wireType === wire.bytes) take(reader);
  else if (wireType === wire.four) step(reader, 4);
  else throw new NotProtobuf("A field has a type that there is not.");
}

/** Moves on by so many bytes and answers where they begin. */
function step(reader: Reader, length: number): number {
  const { at } = reader;
  if (length > reader.end - at) throw new NotProtobuf("It is cut off.");
  reader.at = at + length;
  return at;
}

function textOf({ bytes, at, end }: Reader, encoding: "utf8" | "hex" | "base64"): string {
  return bytes.toString(encoding, at, end);
}
