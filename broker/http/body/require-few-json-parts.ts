const quote = 34;
const comma = 44;
const openBracket = 91;
const backslash = 92;
const openBrace = 123;

import { requireFewParts } from "../../otlp/otlp-limits.ts";

/** More than a normal request has; validating each would take time from all requests. */
export const mostValues = 5000;

/** Refuses a JSON text with more values than about this many (413), before it is parsed. */
export function requireFewJsonParts(bytes: Uint8Array, most: number): void {
  requireFewParts(partsOf(bytes, most), most);
}

/** Whether a JSON text has more values than about this many, told before it is parsed. */
export const hasManyJsonParts = (bytes: Uint8Array, most: number): boolean =>
  bytes.length > most && partsOf(bytes, most) > most;

/** Counts opening brackets and commas; stops beyond `most`. */
function partsOf(bytes: Uint8Array, most: number): number {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < bytes.length && parts <= most; at++) {
    const byte = bytes[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === openBrace || byte === openBracket) parts += 1;
  }
  return parts;
}
