const quote = 34;
const comma = 44;
const openBracket = 91;
const backslash = 92;
const openBrace = 123;

import { requireFewParts } from "../../otlp/otlp-limits.ts";

/** Refuses a JSON text with more values than so many (413), about, before anything is built of it. */
export function requireFewJsonParts(bytes: Uint8Array, most: number): void {
  requireFewParts(partsOf(bytes, most), most);
}

/** Counts what opens a list or an object and what parts their members; it stops past `most`. */
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
