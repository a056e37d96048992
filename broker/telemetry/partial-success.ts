import type { Refused } from "./store-telemetry.ts";

/** What an exporter is told besides that its request was taken. */
export type PartialSuccess = {
  readonly refused: Refused;
  /** What the signal calls its refused parts. */
  readonly counted: "rejectedSpans" | "rejectedDataPoints";
};

/** An Export…ServiceResponse: empty when all was taken and there is nothing to say; its numbers are the same for every signal. */
export function protobufOf({ count, reason }: Refused): Buffer {
  if (reason === "") return Buffer.alloc(0);
  const text = Buffer.from(reason);
  const partial = Buffer.concat([
    Buffer.from([0x08, ...varint(count), 0x12, ...varint(text.length)]),
    text,
  ]);
  return Buffer.concat([Buffer.from([0x0a, ...varint(partial.length)]), partial]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
