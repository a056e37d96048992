import { Reader } from "protobufjs/minimal.js";
import { Problem, problem } from "../../shared/problem.ts";
import { requireFewParts, requireFewRecords } from "./otlp-limits.ts";
import type { OtlpRequest } from "./otlp-messages.ts";
import {
  type Field,
  type Message,
  isText,
  type Scalar,
  type Text,
  wireOf,
} from "./protobuf-message.ts";

/** Under it stands how many bytes a text had that was cut. */
export const cutFrom: unique symbol = Symbol("cut from");
/** Under it stands the number of an attribute whose bytes occur more than once in the request. */
export const sharedNumber: unique symbol = Symbol("shared number");

export type Members = {
  [name: string]: unknown;
  [cutFrom]?: number;
  [sharedNumber]?: number;
};

const maxDepth = 16;

/**
 * The request as its JSON encoding would be parsed; unknown fields are skipped. 400 when the bytes are none, 413 when it
 * holds too many records, or too many messages, texts and members of lists together.
 */
export function readProtobuf(bytes: Buffer, { name, message, mostParts }: OtlpRequest): Members {
  const from = Reader.create(bytes);
  const reading = { from, bytes, mostParts, parts: 0, records: 0, shared: new Map() };
  try {
    return readMembers(reading, message, {}, 0);
  } catch (error) {
    if (error instanceof Problem || error instanceof TypeError) throw error;
    // Other errors are the library's: a RangeError or a plain Error.
    const why =
      error instanceof TooDeep
        ? "The value is nested too deeply."
        : "The message is truncated or damaged.";
    throw problem.malformed("malformed_protobuf", `The body is not an ${name}. ${why}`);
  }
}

class TooDeep extends Error {
  override readonly name = "TooDeep";
}

type Reading = {
  /** Its `len` is where the message ends that is read now. */
  readonly from: Reader;
  readonly bytes: Buffer;
  readonly mostParts: number;
  parts: number;
  records: number;
  readonly shared: Map<string, Members>;
};

function readMembers(reading: Reading, message: Message, into: Members, depth: number): Members {
  const { from } = reading;
  let members = into;
  while (from.pos < from.len) {
    const tag = from.tag();
    const field = message.byTag[tag];
    if (field === undefined) {
      from.skipType(tag & 7, 0, tag >>> 3);
      continue;
    }
    if (message.isOneOf) members = {};
    const { name, type } = field;
    if (field.isRepeated === true) {
      const list = (members[name] ??= []) as unknown[]; // only this branch makes it
      readElements(reading, { field, isPacked: (tag & 7) !== wireOf(type), depth }, list);
    } else if (typeof type === "string") {
      members[name] = readScalar(reading, type, field, members);
    } else {
      const known = (members[name] ?? {}) as Members; // as above
      members[name] = readMessage(reading, type, known, depth);
    }
  }
  return members;
}

type Elements = { readonly field: Field; readonly isPacked: boolean; readonly depth: number };

/** One element, or several packed into bytes. */
function readElements(
  reading: Reading,
  { field, isPacked, depth }: Elements,
  list: unknown[],
): void {
  const { type, isRecord = false, isRemembered = false } = field;
  if (typeof type !== "string") {
    if (isRecord) requireFewRecords(++reading.records, "records");
    const isShared = isRemembered && isShortText(reading);
    list.push(isShared ? readShared(reading, type, depth) : readMessage(reading, type, {}, depth));
    return;
  }
  const one = (): void => {
    countPart(reading);
    list.push(readScalar(reading, type, field, {}));
  };
  if (!isPacked) return one();
  const { from } = reading;
  const outer = enter(from);
  while (from.pos < from.len) one();
  from.len = outer;
}

function readMessage(reading: Reading, message: Message, into: Members, depth: number): Members {
  const inner = message.nests ? depth + 1 : depth;
  if (inner > maxDepth + 1) throw new TooDeep();
  countPart(reading);
  const { from } = reading;
  const outer = enter(from);
  const members = readMembers(reading, message, into, inner);
  from.len = outer;
  return members;
}

/** Begins what has a length before it: the reader ends there. Answers where it ended. */
function enter(from: Reader): number {
  const length = from.size();
  const { len, pos } = from;
  if (length > len - pos) throw new RangeError("cut off");
  from.len = pos + length;
  return len;
}

function countPart(reading: Reading): void {
  requireFewParts(++reading.parts, reading.mostParts);
}

/** An attribute, which was probably read before. */
function readShared(reading: Reading, message: Message, depth: number): Members {
  const { from, bytes, shared } = reading;
  const { pos } = from;
  const key = bytes.toString("latin1", pos, pos + 1 + (bytes[pos] ?? 0));
  let known = shared.get(key);
  if (known === undefined) {
    known = readMessage(reading, message, {}, depth);
    known[sharedNumber] = shared.size;
    shared.set(key, known);
  } else {
    countPart(reading);
    from.pos = pos + key.length;
  }
  return known;
}

/** Whether what comes looks like an attribute with a short name and a short text. Numbers hardly repeat. */
function isShortText({ from: { pos, len }, bytes }: Reading): boolean {
  const length = bytes[pos] ?? 0;
  const valueAt = pos + 3 + (bytes[pos + 2] ?? 0);
  return (
    length < 0x80 &&
    length < len - pos &&
    bytes[pos + 1] === 0x0a &&
    bytes[valueAt] === 0x12 &&
    bytes[valueAt + 2] === 0x0a
  );
}

const numbers: Readonly<Record<Exclude<Scalar, Text>, (from: Reader) => unknown>> = {
  bool: (from) => from.bool(),
  double: (from) => plainDouble(from.double()),
  int32: (from) => from.int32(),
  sint32: (from) => from.sint32(),
  fixed64: (from) => unsigned(from.fixed64()),
  sfixed64: (from) => signed(from.sfixed64()),
  int64: (from) => signed(from.int64()),
  uint64: (from) => unsigned(from.uint64()),
};

function readScalar(reading: Reading, type: Scalar, field: Field, members: Members): unknown {
  return isText(type) ? readText(reading, type, field, members) : numbers[type](reading.from);
}

function readText(
  reading: Reading,
  type: Text,
  { mostBytes = Infinity }: Field,
  members: Members,
): string {
  countPart(reading);
  const { from, bytes } = reading;
  const outer = enter(from);
  const { pos, len } = from;
  from.pos = len;
  from.len = outer;
  if (type === "hex") return len - pos > mostIdBytes ? "" : bytes.toString(type, pos, len);
  if (type === "text" && len - pos > mostBytes) {
    members[cutFrom] = len - pos;
    return bytes.toString("utf8", pos, pos + mostBytes);
  }
  return bytes.toString(type === "text" ? "utf8" : type, pos, len);
}

const mostIdBytes = 32;

/** JSON has no NaN and no infinity: they are written as words. */
const plainDouble = (value: number): number | string =>
  Number.isFinite(value) ? value : String(value);

type Long = { readonly high: number; readonly low: number };

const signed = ({ high, low }: Long): number | string => whole(high, low >>> 0);
const unsigned = ({ high, low }: Long): number | string => whole(high >>> 0, low >>> 0);

/** Two halves of 64 bits: as text where a double does not hold them. */
function whole(high: number, low: number): number | string {
  const number = high * 0x1_0000_0000 + low;
  return Number.isSafeInteger(number) ? number : ((BigInt(high) << 32n) + BigInt(low)).toString();
}
