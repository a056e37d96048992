import { cleanText } from "../logs/intake/log-request.ts";
import {
  malformed,
  passMessage,
  readInt64,
  readMessage,
  readVarint,
  type Reader,
  skip,
  step,
  tags,
} from "./protobuf-reader.ts";

/** An attribute's name and value. */
export type Pair = readonly [name: string, value: unknown];

const maxDepth = 16;

/** An attribute; 400 when it nests too deep. */
export function readPair(reader: Reader, depth: number): Pair {
  let name = "";
  let value: unknown = null;
  readMessage(reader, (tag) => {
    if (tag === tags.first) name = readText(reader);
    else if (tag === tags.second) value = readAnyValue(reader, depth);
    else skip(reader, tag);
  });
  return [name, value];
}

/** Sets a member; a name that reaches for a prototype is left out. */
export function assign(all: Record<string, unknown>, [name, value]: Pair): void {
  if (name !== "__proto__") all[name] = value;
}

/** A body as text: what is none is told as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function readAnyValue(reader: Reader, depth: number): unknown {
  if (depth > maxDepth) throw malformed("A value nests too deep.");
  let value: unknown = null;
  readMessage(reader, (tag) => {
    value = readTagged(reader, tag, depth) ?? value;
  });
  return value;
}

/** The value in a field of AnyValue; undefined when the field holds none. */
export function readTagged(reader: Reader, tag: number, depth: number): unknown {
  if (tag === 0x0a) return readText(reader);
  if (tag === 0x10) return readVarint(reader) !== 0;
  if (tag === 0x18) return readInt64(reader);
  if (tag === 0x21) return plainDouble(reader.bytes.readDoubleLE(step(reader, 8)));
  if (tag === 0x2a || tag === 0x32) return readNested(reader, tag, depth + 1);
  if (tag === 0x3a) {
    const { at, end } = passMessage(reader);
    return reader.bytes.toString("base64", at, end);
  }
  skip(reader, tag);
  return undefined;
}

function readNested(reader: Reader, tag: number, depth: number): unknown {
  if (depth > maxDepth) throw malformed("A value nests too deep.");
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  readMessage(reader, (inner) => {
    if (inner !== tags.first) skip(reader, inner);
    else if (tag === 0x2a) list.push(readAnyValue(reader, depth));
    else assign(object, readPair(reader, depth));
  });
  return tag === 0x2a ? list : object;
}

/** JSON has no NaN and no infinity: they are written as words. */
const plainDouble = (value: number): number | string =>
  Number.isFinite(value) ? value : String(value);

/** Text; what is not UTF-8 shows U+FFFD. */
export function readText(reader: Reader): string {
  const { at, end } = passMessage(reader);
  return cleanText(reader.bytes.toString("utf8", at, end));
}

/** The id of a trace or a span; empty when it is none. */
export function readHex(reader: Reader): string {
  const { at, end } = passMessage(reader);
  return end - at > 32 ? "" : reader.bytes.toString("hex", at, end);
}
