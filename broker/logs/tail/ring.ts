import type { LogBatch } from "../read/read-forward.ts";

/** The latest part of a stream, shared by all its followers; a follower that falls behind reads the database. */
export type Ring = {
  readonly add: (batch: LogBatch) => void;
  /** The records from this position to the end of its batch; undefined when it is not in the ring. */
  readonly take: (from: number) => LogBatch | undefined;
  /** Where the next batch begins. */
  readonly upto: () => number;
};

const mostBytes = 1024 * 1024;
const mostBatches = 256;

/** An empty ring whose first batch begins at this position. */
export function makeRing(start: number): Ring {
  let batches: (LogBatch & { readonly from: number })[] = [];
  let upto = start;
  let bytes = 0;
  return {
    add(batch) {
      batches.push({ ...batch, from: upto });
      bytes += batch.bytes;
      upto = batch.next;
      let gone = 0;
      while (
        gone < batches.length - 1 &&
        (bytes > mostBytes || batches.length - gone > mostBatches)
      ) {
        bytes -= batches[gone]?.bytes ?? 0;
        gone += 1;
      }
      if (gone > 0) batches = batches.slice(gone);
    },
    take(from) {
      const found = batches.find((batch) => from >= batch.from && from < batch.next);
      if (found === undefined || found.from === from) return found;
      return { ...found, records: found.records.filter(({ position }) => position >= from) };
    },
    upto: () => upto,
  };
}
