import type { Refused } from "../../otlp/partial-success.ts";
import { type EncodedChunk, encodeChunk } from "../store/encode-chunk.ts";
import type { LogEntry } from "../store/log-record.ts";
import type { LogSequenceRow } from "../store/row.ts";
import { numberRecords, type PlacedEntry, type StreamHead } from "./number-records.ts";
import type { SequencePart } from "./open-sequences.ts";

export type PlacedChunk = EncodedChunk & { readonly position: number };

/** Several requests for one stream, as one append. */
export type PreparedAppend = {
  /** What each request holds that is not kept. */
  readonly refused: readonly Refused[];
  /** Whether each request holds anything new. */
  readonly isNew: readonly boolean[];
  readonly chunks: readonly PlacedChunk[];
  /** The stream after it, except for its version. */
  readonly head: StreamHead;
  /** What is to be stored in rows of their own. */
  readonly parts: readonly SequencePart[];
};

/** A chunk is closed at about this size, so that reading anywhere costs little. */
const chunkBytes = 128 * 1024;
/** A smaller one counts as small: it is merged with its neighbours later. */
export const fullChunkBytes = 64 * 1024;
const lineBytes = 64;

/** Numbers the records of requests, one request after the other, and packs them into chunks. */
export async function prepareAppend(
  head: StreamHead,
  requests: readonly (readonly LogEntry[])[],
  stored: readonly LogSequenceRow[],
): Promise<PreparedAppend> {
  const numbered = numberRecords(head, requests, stored);
  const chunks = await Promise.all(
    runsOf(numbered.requests.flatMap(({ placed }) => placed)).map(
      async ({ position, entries }) => ({ ...(await encodeChunk(entries)), position }),
    ),
  );
  return {
    refused: numbered.requests.map(({ refused }) => refused),
    isNew: numbered.requests.map(({ placed }) => placed.length > 0),
    chunks,
    head: numbered.head,
    parts: numbered.parts,
  };
}

type Run = { readonly position: number; readonly entries: LogEntry[] };

/** Consecutive records in groups of a chunk's size. */
function runsOf(placed: readonly PlacedEntry[]): Run[] {
  const runs: Run[] = [];
  const lengthOf = makeLengths();
  let next = Number.NaN;
  let bytes = 0;
  for (const { position, entry } of inOrder(placed)) {
    const last = runs.at(-1);
    if (last === undefined || position !== next || bytes >= chunkBytes) {
      runs.push({ position, entries: [entry] });
      bytes = 0;
    } else {
      last.entries.push(entry);
    }
    bytes += entry.body.length + lineBytes + lengthOf(entry);
    next = position + 1;
  }
  return runs;
}

/** Attributes of a record, which stand in its chunk once where the record before has the same. */
function makeLengths(): (entry: LogEntry) => number {
  let last: Pick<LogEntry, "resource" | "attributes"> = { resource: {}, attributes: {} };
  return (entry) => {
    let length = 0;
    if (entry.resource !== last.resource) length += JSON.stringify(entry.resource).length;
    if (entry.attributes !== last.attributes) length += JSON.stringify(entry.attributes).length;
    last = entry;
    return length;
  };
}

/** Nearly always they are. */
function inOrder(placed: readonly PlacedEntry[]): readonly PlacedEntry[] {
  let last = 0;
  for (const { position } of placed) {
    if (position < last) return placed.toSorted((a, b) => a.position - b.position);
    last = position;
  }
  return placed;
}
