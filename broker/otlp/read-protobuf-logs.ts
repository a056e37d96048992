import {
  boundedAttributes,
  cleanText,
  type KnownAttributes,
  knownAttributes,
  makeScopes,
  type LogRequest,
  mostBodyBytes,
  names,
  type SentRecord,
  toEntry,
} from "../logs/intake/log-request.ts";
import type { Attributes, LogEntry } from "../logs/store/log-record.ts";
import { requireFewRecords } from "../telemetry/otlp-limits.ts";
import {
  makeReader,
  passMessage,
  readMessage,
  readNanosAsUs,
  readVarint,
  type Reader,
  skip,
  type Span,
  tags,
  within,
} from "./protobuf-reader.ts";
import {
  assign,
  type Pair,
  readHex,
  readPair,
  readTagged,
  readText,
  valueText,
} from "./read-any-value.ts";

/** The records of an ExportLogsServiceRequest; 400 when the bytes are none. Text that is not UTF-8 shows U+FFFD. */
export function readProtobufLogs(bytes: Buffer, nowUs: number): LogRequest {
  const reader = makeReader(bytes);
  const entries: LogEntry[] = [];
  const context: Context = {
    reader,
    entries,
    nowUs,
    records: 0,
    scopes: makeScopes(),
    pairs: new Map(),
    sets: new Map(),
  };
  while (reader.at < reader.end) {
    const tag = readVarint(reader);
    if (tag === tags.first) readResourceLogs(context);
    else skip(reader, tag);
  }
  return { entries, refused: { count: 0, reason: "" } };
}

type Context = {
  readonly reader: Reader;
  readonly entries: LogEntry[];
  readonly nowUs: number;
  readonly scopes: ReturnType<typeof makeScopes>;
  /** Those that were met, read or not. */
  records: number;
  /** Attributes by their bytes: most repeat from record to record. */
  readonly pairs: Map<string, Pair>;
  readonly sets: Map<string, KnownAttributes>;
};

function readResourceLogs(context: Context): void {
  const { reader } = context;
  const scopes: Span[] = [];
  const resource: Record<string, unknown> = {};
  readMessage(reader, (tag) => {
    if (tag === tags.second) scopes.push(passMessage(reader));
    else if (tag !== tags.first) skip(reader, tag);
    else {
      readMessage(reader, (inner) => {
        if (inner === tags.first) assign(resource, readPair(reader, 0));
        else skip(reader, inner);
      });
    }
  });
  const bounded = boundedAttributes(resource);
  for (const scope of scopes) within(reader, scope, () => readScopeLogs(context, bounded));
}

function readScopeLogs(context: Context, ofResource: Attributes): void {
  const { reader } = context;
  const records: Span[] = [];
  let name = "";
  while (reader.at < reader.end) {
    const tag = readVarint(reader);
    if (tag === tags.second) {
      requireFewRecords(++context.records, "records");
      records.push(passMessage(reader));
    } else if (tag !== tags.first) skip(reader, tag);
    else {
      readMessage(reader, (inner) => {
        if (inner === tags.first) name = readText(reader);
        else skip(reader, inner);
      });
    }
  }
  if (records.length === 0) return;
  const resource = context.scopes(ofResource, name);
  for (const record of records) {
    within(reader, record, () => context.entries.push(readRecord(context, resource)));
  }
}

function readRecord(context: Context, resource: Attributes): LogEntry {
  const { reader, nowUs } = context;
  const sent = {
    timeUs: 0,
    observedUs: 0,
    severity: 0,
    severityText: "",
    body: "",
    cutFrom: undefined as number | undefined,
    seq: undefined as number | undefined,
    traceId: "",
    spanId: "",
  };
  const attributes: Pair[] = [];
  let setKey = "";
  while (reader.at < reader.end) {
    const tag = readVarint(reader);
    if (tag === 0x09) sent.timeUs = readNanosAsUs(reader);
    else if (tag === 0x10) sent.severity = readVarint(reader);
    else if (tag === 0x1a) sent.severityText = readText(reader);
    else if (tag === 0x2a) Object.assign(sent, readBody(reader));
    else if (tag === 0x4a) sent.traceId = readHex(reader);
    else if (tag === 0x52) sent.spanId = readHex(reader);
    else if (tag === 0x59) sent.observedUs = readNanosAsUs(reader);
    else if (tag === 0x32) {
      const { key, pair } = knownPair(context);
      if (pair[0] === names.seq) sent.seq = Number(pair[1]);
      else {
        attributes.push(pair);
        setKey += key;
      }
    } else skip(reader, tag);
  }
  const known = knownSet(context, setKey, attributes);
  return toEntry({ ...sent, known, resource } satisfies SentRecord, nowUs);
}

/** An attribute, which was probably read before. The number of a record is another one each time. */
function knownPair({ reader, pairs }: Context): { readonly key: string; readonly pair: Pair } {
  const from = reader.at;
  const { at, end } = passMessage(reader);
  const key = reader.bytes.toString("latin1", from, end); // with its length: two never read like one
  if (mayBeSeq(reader.bytes, at, end)) {
    reader.at = from;
    return { key, pair: readPair(reader, 0) };
  }
  let pair = pairs.get(key);
  if (pair === undefined) {
    reader.at = from;
    pair = readPair(reader, 0);
    pairs.set(key, pair);
  }
  return { key, pair };
}

/** Whether the bytes look like a name as long as `svc.seq`: reading tells the rest. */
function mayBeSeq(bytes: Buffer, at: number, end: number): boolean {
  return end - at > 9 && bytes[at] === 0x0a && bytes[at + 1] === 7 && bytes[at + 6] === 0x73;
}

function knownSet({ sets }: Context, key: string, attributes: readonly Pair[]): KnownAttributes {
  let known = sets.get(key);
  if (known === undefined) {
    const all: Record<string, unknown> = {};
    for (const pair of attributes) assign(all, pair);
    known = knownAttributes(all);
    sets.set(key, known);
  }
  return known;
}

/** A text that is too long is not made into text whole. */
function readBody(reader: Reader): { body: string; cutFrom: number | undefined } {
  const { at, end } = passMessage(reader);
  let body = "";
  let cutFrom: number | undefined;
  within(reader, { at, end }, () => {
    while (reader.at < reader.end) {
      const tag = readVarint(reader);
      if (tag !== tags.first) {
        body = valueText(readTagged(reader, tag, 0));
        continue;
      }
      const text = passMessage(reader);
      const length = text.end - text.at;
      cutFrom = length > mostBodyBytes ? length : undefined;
      const upto = Math.min(text.end, text.at + mostBodyBytes + 4);
      body = cleanText(reader.bytes.toString("utf8", text.at, upto));
    }
  });
  return { body, cutFrom };
}
