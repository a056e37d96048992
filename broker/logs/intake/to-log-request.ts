import { type Pointer, problem } from "../../../shared/problem.ts";
import { requireFewRecords } from "../../otlp/otlp-limits.ts";
import { cutFrom, type Members, sharedNumber } from "../../otlp/read-protobuf.ts";
import type { Attributes, LogEntry } from "../store/log-record.ts";
import {
  boundedAttributes,
  cleanText,
  type KnownAttributes,
  knownAttributes,
  makeScopes,
  type LogRequest,
  names,
  toEntry,
} from "./log-request.ts";

const maxDepth = 16;
const severityWords: Readonly<Record<string, number>> = {
  TRACE: 1,
  DEBUG: 5,
  INFO: 9,
  WARN: 13,
  ERROR: 17,
  FATAL: 21,
};

/** The records of an ExportLogsServiceRequest, parsed as OTLP's JSON; 400 when a part of it has another shape. */
export function toLogRequest(request: unknown, nowUs: number): LogRequest {
  const entries: LogEntry[] = [];
  const ofScopes = makeScopes();
  const toKnown = makeKnown();
  let records = 0;
  for (const resourceLogs of list(object(request, "#"), "resourceLogs", "#/resourceLogs")) {
    const ofResource = object(resourceLogs, "#/resourceLogs/*");
    const from = object(ofResource["resource"], "#/resourceLogs/*/resource");
    const resource = boundedAttributes(attributesOf(attributeList(from)));
    for (const scopeLogs of list(ofResource, "scopeLogs", "#/resourceLogs/*/scopeLogs")) {
      const ofScope = object(scopeLogs, "#/resourceLogs/*/scopeLogs/*");
      const { name } = object(ofScope["scope"], "#/resourceLogs/*/scopeLogs/*/scope");
      const given = list(ofScope, "logRecords", "#/resourceLogs/*/scopeLogs/*/logRecords");
      requireFewRecords((records += given.length), "records");
      if (given.length === 0) continue;
      const whole = ofScopes(resource, text(name));
      for (const record of given) entries.push(toRecord(record, { whole, toKnown, nowUs }));
    }
  }
  return { entries, refused: { count: 0, reason: "" } };
}

type Context = {
  readonly whole: Attributes;
  readonly toKnown: ToKnown;
  readonly nowUs: number;
};

function toRecord(given: unknown, { whole, toKnown, nowUs }: Context): LogEntry {
  const record = object(given, "#/resourceLogs/*/scopeLogs/*/logRecords/*");
  const { known, seq } = toKnown(attributeList(record));
  const body = object(record["body"], "#/…/value");
  return toEntry(
    {
      timeUs: nanosAsUs(record["timeUnixNano"]),
      observedUs: nanosAsUs(record["observedTimeUnixNano"]),
      severity: severityOf(record["severityNumber"]),
      severityText: text(record["severityText"]),
      body: bodyText(anyValue(body, 0)),
      cutFrom: body[cutFrom],
      seq,
      known,
      resource: whole,
      traceId: hex(record["traceId"], 32),
      spanId: hex(record["spanId"], 16),
    },
    nowUs,
  );
}

type ToKnown = (list: readonly unknown[]) => { known: KnownAttributes; seq: number | undefined };

/** Attributes of records that share their bytes, as most do, are looked through once. */
function makeKnown(): ToKnown {
  const sets = new Map<string, KnownAttributes>();
  return (given) => {
    let key = "";
    let isShared = true;
    let seq: number | undefined;
    for (const pair of given as Members[]) {
      if (pair?.["key"] === names.seq) seq = Number(anyValue(pair["value"], 0));
      else if (pair?.[sharedNumber] === undefined) isShared = false;
      else key += `${pair[sharedNumber]},`;
    }
    let known = isShared ? sets.get(key) : undefined;
    if (known === undefined) {
      known = knownAttributes(attributesOf(given));
      if (isShared) sets.set(key, known);
    }
    return { known, seq };
  };
}

const attributeList = (holder: Members): unknown[] => list(holder, "attributes", "#/…/attributes");

function attributesOf(given: readonly unknown[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const pair of given) assign(all, pair, 0);
  return all;
}

/** Sets a member; a name that reaches for a prototype is left out. */
function assign(all: Record<string, unknown>, pair: unknown, depth: number): void {
  const { key, value } = object(pair, "#/…/attributes/*");
  const name = text(key);
  const plain = anyValue(value, depth);
  if (name !== "__proto__") all[name] = plain;
}

function anyValue(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw wrong("#/…", "The value is nested too deeply.");
  const sent = object(value, "#/…/value");
  if (sent["stringValue"] != null) return text(sent["stringValue"]);
  if (sent["boolValue"] != null) return sent["boolValue"] === true;
  if (sent["intValue"] != null) return integer(sent["intValue"]);
  if (sent["doubleValue"] != null) return double(sent["doubleValue"]);
  if (sent["bytesValue"] != null) return text(sent["bytesValue"]);
  if (sent["arrayValue"] != null) {
    const holder = object(sent["arrayValue"], "#/…/arrayValue");
    return list(holder, "values", "#/…/arrayValue/values").map((one) => anyValue(one, depth + 1));
  }
  if (sent["kvlistValue"] == null) return null;
  const inner: Record<string, unknown> = {};
  const holder = object(sent["kvlistValue"], "#/…/kvlistValue");
  for (const pair of list(holder, "values", "#/…/kvlistValue/values"))
    assign(inner, pair, depth + 1);
  return inner;
}

/** A body as text; other values as JSON. */
function bodyText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "" : JSON.stringify(value);
}
/** The protocol writes 64 bits as decimal text; numbers are taken as well. */
function integer(value: unknown): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : text(value);
}

/** JSON has no NaN and no infinity: they are words on both sides. */
function double(value: unknown): number | string {
  const number = Number(value);
  return Number.isFinite(number) ? number : text(value);
}

function severityOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  const [, word = "", more = "1"] = /^SEVERITY_NUMBER_([A-Z]+)([2-4])?$/.exec(text(value)) ?? [];
  const first = severityWords[word];
  return first === undefined ? 0 : first + Number(more) - 1;
}

function nanosAsUs(value: unknown): number {
  if (typeof value === "number") return Number.isFinite(value) ? Math.floor(value / 1000) : 0;
  const digits = text(value);
  return /^\d{4,20}$/.test(digits) ? Number(digits.slice(0, -3)) : 0;
}

function hex(value: unknown, length: number): string {
  const id = text(value).toLowerCase();
  return id.length === length && /^[0-9a-f]+$/.test(id) ? id : "";
}

function text(value: unknown): string {
  if (typeof value === "string") return cleanText(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function object(value: unknown, place: Pointer): Members {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw wrong(place, "An object is expected.");
  return value as Members; // any object of JSON is one
}

function list(holder: Members, name: string, place: Pointer): unknown[] {
  const value = holder[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(place, "A list is expected.");
  return value;
}

const wrong = (place: Pointer, words: string): Error =>
  problem.malformed(
    "malformed_otlp",
    `The body is not a valid ExportLogsServiceRequest. ${words}`,
    place,
  );
