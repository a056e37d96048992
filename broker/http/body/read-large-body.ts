import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";
import type { Range } from "./extract-strings.ts";
import { readLargeJson } from "./read-large-json.ts";

/** What is told of a large body: its value without its large texts; and of what these consist, by their pointers. */
export type ToldBody = {
  readonly value: unknown;
  /** Ranges of the body; those that are marked are ranges of the bytes that come with the answer. */
  readonly longTexts: readonly (readonly [pointer: string, parts: readonly ToldRange[]])[];
  readonly urlBase64: readonly Range[];
};
/** A range of the body, or of what was made of it. */
export type ToldRange = readonly [start: number, end: number, isMade?: 1];

/** Reads a large body in a child process. Of the body nothing goes back but what stands in it in other words. */
export function readLargeBody({
  asked: { operationId },
  bytes: [body = Buffer.alloc(0)],
}: WorkGiven<{ readonly operationId: string }>): WorkDone<ToldBody> {
  const { value, longTexts, urlBase64 } = readLargeJson(operationId, body);
  const made: Buffer[] = [];
  let madeBytes = 0;
  const keep = (text: string): ToldRange => {
    const bytes = Buffer.from(text);
    const start = madeBytes;
    madeBytes += made.push(bytes) && bytes.length;
    return [start, madeBytes, 1];
  };
  const told = longTexts.map(
    ([pointer, parts]) =>
      [pointer, parts.map((part) => (typeof part === "string" ? keep(part) : part))] as const,
  );
  return { told: { value, longTexts: told, urlBase64 }, bytes: [Buffer.concat(made)] };
}
