import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";
import type { Range } from "./extract-strings.ts";
import { type AskedBody, readLargeJson } from "./read-large-json.ts";
import { type PieceEnds, toPieces } from "./value-pieces.ts";

/** What is told of a large body: where the pieces of its value end, without its large texts; and of what these consist, by their pointers. */
export type ToldBody = {
  /** They are the second of the bytes that come with the answer. */
  readonly value: PieceEnds;
  /** Ranges of the body; those that are marked are ranges of the first of these bytes. */
  readonly longTexts: readonly (readonly [pointer: string, parts: readonly ToldRange[]])[];
  readonly urlBase64: readonly Range[];
  readonly fingerprint?: string | undefined;
};
/** A range of the body, or of what was made of it. */
export type ToldRange = readonly [start: number, end: number, isMade?: 1];

/** Reads a large body in a child process. Of the body nothing goes back but what stands in it in other words. */
export function readLargeBody({
  asked,
  bytes: [body = Buffer.alloc(0)],
}: WorkGiven<AskedBody>): WorkDone<ToldBody> {
  const { value, longTexts, urlBase64, fingerprint } = readLargeJson(asked, body);
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
  const pieces = toPieces(value);
  return {
    told: { value: pieces.told, longTexts: told, urlBase64, fingerprint },
    bytes: [Buffer.concat(made), pieces.json],
  };
}
