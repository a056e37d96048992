import { redactedText } from "../../shared/hidden-value.ts";
import { makeNeedleSet, type NeedleSet } from "./needle-set.ts";
import { needlesOf } from "./needles-of.ts";
import { tokenShapes } from "./token-shapes.ts";
import { widthBefore } from "./wrapped-base64.ts";

/** Redacts what a job prints, logs and reports. */
export type Redactor = {
  /**
   * Redacts the secret from the next byte on, in all encodings; a text that is too short or too common is ignored.
   */
  readonly add: (secret: string | Uint8Array) => void;
  /** Grows with the known secrets: while it is the same, the same text gives the same result. */
  readonly knownCount: () => number;
  /** Redacts a whole text: errors, descriptions and the like. */
  readonly redactText: (text: string) => string;
  /** Redacts all texts, numbers and keys in a JSON value; returns the same object when nothing was found. */
  readonly redactJson: <T>(value: T) => T;
  /** Redacts a stream whose chunks may be cut anywhere. */
  readonly stream: (resume?: StreamPosition) => RedactionStream;
};

/** Redacts a byte stream chunk by chunk; it holds back only what may be the beginning of a secret. */
export type RedactionStream = {
  /** Takes the next chunk; returns what is certain by now, possibly the same bytes. */
  readonly push: (bytes: Buffer) => Buffer;
  /** Returns what was held back; a possible beginning of a secret is redacted, because what follows is unknown. */
  readonly end: () => Buffer;
  /** The position at which another stream can continue, so that both outputs make one. */
  readonly position: () => StreamPosition;
};

/** A position in a stream; plain JSON without secrets. */
export type StreamPosition = {
  /** Bytes of the source whose output was returned. */
  readonly offset: number;
  /** How many bytes after them belong to a secret that was already replaced. */
  readonly covered: number;
  /** How many bytes of base64 come directly before them. */
  readonly width?: number;
};

const replacement = Buffer.from(redactedText);
const nothing = Buffer.alloc(0);

/** Redacts the given secrets, well-known forms of tokens, and secrets that are added later. */
export function makeRedactor(secrets: Iterable<string | Uint8Array>): Redactor {
  const needles = new Set<string>();
  const unescaped = new Set<string>();
  let compiled: NeedleSet | undefined;
  const set = (): NeedleSet => (compiled ??= makeNeedleSet({ needles, unescaped }, tokenShapes));
  const add = (secret: string | Uint8Array): void => {
    const bytes = typeof secret === "string" ? Buffer.from(secret) : secret;
    const before = needles.size;
    const found = needlesOf(bytes);
    for (const needle of found.needles) needles.add(needle);
    for (const needle of found.unescaped) unescaped.add(needle);
    if (needles.size > before) compiled = undefined;
  };
  for (const secret of secrets) add(secret);
  const redactText = (text: string): string => textWithout(set(), text);
  return {
    add,
    knownCount: () => needles.size,
    redactText,
    redactJson: (value) => jsonWithout(redactText, value) as typeof value, // of the same shape
    stream: (resume) => openStream(set, resume),
  };
}

function openStream(set: () => NeedleSet, resume?: StreamPosition): RedactionStream {
  let held = nothing;
  let offset = resume?.offset ?? 0;
  /** How many of the next bytes are covered by a `***` that was returned. */
  let covered = resume?.covered ?? 0;
  let width = resume?.width ?? 0;

  function take(bytes: Buffer, isLast: boolean): Buffer {
    const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const parts: Buffer[] = [];
    let doneAt = covered;
    const certain = set().scan(whole, { isLast, hidesCut: isLast, before: width }, (start, end) => {
      if (end <= doneAt) return;
      if (start >= doneAt) parts.push(whole.subarray(doneAt, start), replacement);
      doneAt = end;
    });
    if (certain > doneAt) parts.push(whole.subarray(doneAt, certain));
    width = widthBefore(whole, certain, width);
    // A copy, because a slice would keep the whole chunk in memory.
    held = certain === whole.length ? nothing : Buffer.from(whole.subarray(certain));
    covered = Math.max(0, doneAt - certain);
    offset += certain;
    return parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts);
  }

  return {
    push: (bytes) => take(bytes, false),
    end: () => take(nothing, true),
    position: () => ({ offset, covered, width }),
  };
}

function textWithout(set: NeedleSet, text: string): string {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  let doneAt = 0;
  set.scan(bytes, { isLast: true }, (start, end) => {
    if (end <= doneAt) return;
    if (start >= doneAt) parts.push(bytes.toString("utf8", doneAt, start), redactedText);
    doneAt = end;
  });
  return doneAt === 0 ? text : parts.join("") + bytes.toString("utf8", doneAt);
}

function jsonWithout(redactText: (text: string) => string, value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "number") {
    const text = String(value);
    const redacted = redactText(text);
    return redacted === text ? value : redacted;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => jsonWithout(redactText, item));
    return items.every((item, at) => Object.is(item, value[at])) ? value : items;
  }
  const members = Object.entries(value);
  const redacted = members.map(
    ([key, member]) => [redactText(key), jsonWithout(redactText, member)] as const,
  );
  const isSame = redacted.every(
    ([key, member], at) => key === members[at]?.[0] && Object.is(member, members[at][1]),
  );
  return isSame ? value : Object.fromEntries(redacted);
}
