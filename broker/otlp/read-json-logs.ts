import { type Pointer, problem } from "../../shared/problem.ts";
import {
  boundedAttributes,
  cleanText,
  knownAttributes,
  makeScopes,
  type LogRequest,
  names,
  toEntry,
} from "../logs/intake/log-request.ts";
import type { Attributes, LogEntry } from "../logs/store/log-record.ts";
import { requireFewRecords } from "../telemetry/otlp-limits.ts";
import { assign, valueText } from "./read-any-value.ts";

type Members = Readonly<Record<string, unknown>>;

const maxDepth = 16;
const severityWords: Readonly<Record<string, number>> = {
  TRACE: 1,
  DEBUG: 5,
  INFO: 9,
  WARN: 13,
  ERROR: 17,
  FATAL: 21,
};

/** The records of an ExportLogsServiceRequest in OTLP's JSON; 400 when a part of it has another shape. */
export function readJsonLogs(request: unknown, nowUs: number): LogRequest {
  const entries: LogEntry[] = [];
  const ofScopes = makeScopes();
  let records = 0;
  for (const ofResource of list(object(request, "#"), "resourceLogs", "#")) {
    const from = attributesOf(object(ofResource["resource"], "#/resourceLogs/*/resource"));
    const resource = boundedAttributes(from);
    for (const ofScope of list(ofResource, "scopeLogs", "#/resourceLogs/*")) {
      const { name } = object(ofScope["scope"], "#/resourceLogs/*/scopeLogs/*/scope");
      const given = list(ofScope, "logRecords", "#/resourceLogs/*/scopeLogs/*");
      requireFewRecords((records += given.length), "records");
      if (given.length === 0) continue;
      const whole = ofScopes(resource, text(name));
      for (const record of given) {
        entries.push(readRecord(record, whole, nowUs));
      }
    }
  }
  return { entries, refused: { count: 0, reason: "" } };
}

function readRecord(record: Members, resource: Attributes, nowUs: number): LogEntry {
  const attributes = attributesOf(record);
  return toEntry(
    {
      timeUs: nanosAsUs(record["timeUnixNano"]),
      observedUs: nanosAsUs(record["observedTimeUnixNano"]),
      severity: severityOf(record["severityNumber"]),
      severityText: text(record["severityText"]),
      body: valueText(anyValue(record["body"], 0)),
      seq: attributes[names.seq] === undefined ? undefined : Number(attributes[names.seq]),
      known: knownAttributes(attributes),
      resource,
      traceId: hex(record["traceId"], 32),
      spanId: hex(record["spanId"], 16),
    },
    nowUs,
  );
}

function attributesOf(holder: Members): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const { key, value } of list(holder, "attributes", "#/…")) {
    assign(all, [text(key), anyValue(value, 0)]);
  }
  return all;
}

function anyValue(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw wrong("#/…", "A value nests too deep.");
  const sent = object(value, "#/…/value");
  if (sent["stringValue"] != null) return text(sent["stringValue"]);
  if (sent["boolValue"] != null) return sent["boolValue"] === true;
  if (sent["intValue"] != null) return integer(sent["intValue"]);
  if (sent["doubleValue"] != null) return double(sent["doubleValue"]);
  if (sent["bytesValue"] != null) return text(sent["bytesValue"]);
  if (sent["arrayValue"] != null) {
    const holder = object(sent["arrayValue"], "#/…/arrayValue");
    return list(holder, "values", "#/…/arrayValue").map((one) => anyValue(one, depth + 1));
  }
  if (sent["kvlistValue"] == null) return null;
  const inner: Record<string, unknown> = {};
  const holder = object(sent["kvlistValue"], "#/…/kvlistValue");
  for (const { key, value: of } of list(holder, "values", "#/…/kvlistValue")) {
    assign(inner, [text(key), anyValue(of, depth + 1)]);
  }
  return inner;
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

function list(holder: Members, name: string, place: Pointer): Members[] {
  const value = holder[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(`${place}/${name}`, "A list is expected.");
  return value.map((item) => object(item, `${place}/${name}/*`));
}

const wrong = (place: Pointer, words: string): Error =>
  problem.malformed("malformed_otlp", `The body is no ExportLogsServiceRequest. ${words}`, place);
