import type { Redactor } from "../../../agent/logs/redactor.ts";

/** The bytes in pieces, cut at the places (beyond the end, they begin anew). */
export function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));
}

/** What comes out when the pieces go in one after the other; latin1. */
export function streamed(redactor: Redactor, pieces: readonly Buffer[]): string {
  const stream = redactor.stream();
  const out = pieces.map((piece) => Buffer.from(stream.push(Buffer.from(piece))));
  return Buffer.concat([...out, stream.end()]).toString("latin1");
}
