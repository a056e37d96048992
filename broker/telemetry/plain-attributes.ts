import type { AnyValue, KeyValue } from "../../shared/api/otlp.ts";

/** An attribute's value as plain JSON. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };
export type PlainAttributes = { [key: string]: Plain };

const mostAttributes = 128;
const mostElements = 256;
const maxTextLength = 4096;
const maxDepth = 8;

/** OTLP's list of attributes as an object; what exceeds the limits is left out. */
export function plainAttributes(given: readonly KeyValue[] | null | undefined): PlainAttributes {
  return objectOf(given, 0);
}

/** Text that every database can hold, cut where it is too long. */
export function plainText(text: string | null | undefined, maxLength = maxTextLength): string {
  if (text == null) return "";
  return text.slice(0, maxLength).toWellFormed().replaceAll("\0", "\uFFFD");
}

function objectOf(given: readonly KeyValue[] | null | undefined, depth: number): PlainAttributes {
  const entries = (given ?? []).slice(0, mostAttributes);
  // fromEntries defines a member of any name, also of one like __proto__.
  return Object.fromEntries(
    entries.map(({ key, value }) => [plainText(key, 256), plainValue(value, depth)]),
  );
}

function plainValue(value: AnyValue | null | undefined, depth: number): Plain {
  if (value == null || depth > maxDepth) return null;
  if (value.stringValue != null) return plainText(value.stringValue);
  if (value.boolValue != null) return value.boolValue;
  if (value.intValue != null) return plainInteger(value.intValue);
  if (value.doubleValue != null) return plainDouble(value.doubleValue);
  if (value.bytesValue != null) return plainText(value.bytesValue);
  if (value.arrayValue != null) {
    const values = (value.arrayValue.values ?? []).slice(0, mostElements);
    return values.map((one) => plainValue(one, depth + 1));
  }
  return value.kvlistValue == null ? null : objectOf(value.kvlistValue.values, depth + 1);
}

/** A number where a double holds it exactly, else its decimal text. */
export function plainInteger(value: string | number): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** A finite number, else its word. */
export function plainDouble(value: number | string): number | string {
  const number = Number(value);
  return Number.isFinite(number) ? number : String(number);
}

/** The id of the job that telemetry belongs to, from the attribute that runners set; empty without one. */
export function jobAttribute(attributes: PlainAttributes): string {
  const id = attributes["runner_job.id"];
  return typeof id === "string" && /^job_[0-9a-z]{26}$/.test(id) ? id : "";
}

const latestUs = BigInt(Date.UTC(10_000, 0, 1)) * 1000n;

/** Nanoseconds since 1970 as microseconds; undefined for 0, which is the protocol's "unknown", and past 9999. */
export function toMicroseconds(nanos: string | number | null | undefined): number | undefined {
  const us = BigInt(nanos ?? 0) / 1000n;
  return us <= 0n || us >= latestUs ? undefined : Number(us);
}
