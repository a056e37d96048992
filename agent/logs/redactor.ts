import { makeNeedleSet, type NeedleSet } from "./needle-set.ts";
import { needlesOf } from "./needles-of.ts";
import { tokenShapes } from "./token-shapes.ts";
import { widthBefore } from "./wrapped-base64.ts";

/** Takes secrets out of what a job prints, says and answers. */
export type Redactor = {
  /** From the next byte on, the secret is nowhere, in any encoding; too short or too common a text is let be. */
  readonly add: (secret: string | Uint8Array) => void;
  /** Grows with what is known: as long as it is the same, so is what comes of a text. */
  readonly knownCount: () => number;
  /** For error texts, descriptions and whatever is shown. */
  readonly redactText: (text: string) => string;
  /** Every text, number and key in a JSON value; the very same value when nothing was found. */
  readonly redactJson: <T>(value: T) => T;
  /** For output, which arrives in pieces cut anywhere. */
  readonly stream: (resume?: StreamPosition) => RedactionStream;
};

/** Redacts a stream of bytes piece by piece; it never holds back more than what may be the beginning of a secret. */
export type RedactionStream = {
  /** The next piece; returns what can be said for certain by now. It may be the very bytes that came in. */
  readonly push: (bytes: Buffer) => Buffer;
  /** What was held back; what may be the beginning of a secret is hidden. Nobody knows what comes next, if anything. */
  readonly end: () => Buffer;
  /** Where another stream can go on, so that the outputs of both make one. */
  readonly position: () => StreamPosition;
};

/** A place in a stream: plain JSON, no secret in it. */
export type StreamPosition = {
  /** Bytes of the source that have been answered for. */
  readonly offset: number;
  /** So many bytes after them belong to a secret that was already replaced. */
  readonly covered: number;
  /** So many bytes of base64 stand right before them. */
  readonly width?: number;
};

const replacement = Buffer.from("***");
const nothing = Buffer.alloc(0);

/** Knows the secrets given, the shapes of well-known tokens, and whatever is added later. */
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
  /** So many of the next bytes have been answered by `***` already. */
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
    // A copy: a piece of what came in would keep all of it in memory.
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
    if (start >= doneAt) parts.push(bytes.toString("utf8", doneAt, start), "***");
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
