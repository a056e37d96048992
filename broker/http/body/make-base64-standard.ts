import { setImmediate as turn } from "node:timers/promises";
import type { Range } from "./extract-strings.ts";

const stepBytes = 256 * 1024;
const [minus, plus, underscore, slash] = [0x2d, 0x2b, 0x5f, 0x2f];

/** Writes the standard alphabet of base64 over the one for URLs, where the bytes have it; the event loop runs in between. */
export async function makeBase64Standard(
  bytes: Uint8Array,
  ranges: readonly Range[],
): Promise<void> {
  for (const [start, end] of ranges) {
    for (let at = start; at < end; at += stepBytes) {
      standardize(bytes.subarray(at, Math.min(end, at + stepBytes)));
      await turn();
    }
  }
}

function standardize(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === minus) bytes[at] = plus;
    else if (bytes[at] === underscore) bytes[at] = slash;
  }
}
