import type { LogBatch } from "../read/read-forward.ts";

export type GapHold = {
  /** The stream's end when it was read. */
  readonly saw: (nextPosition: number) => void;
  /** Whether a batch is still to wait for records that are missing before it. */
  readonly holds: (batch: LogBatch) => boolean;
};

/** How long to wait for late records before the records after them are sent. */
const waitMs = 2000;

/**
 * Holds back the records after a gap for 2 s from when they were first seen: gaps that are open at
 * the same time expire together.
 */
export function makeGapHold(start: number, clock = () => performance.now()): GapHold {
  let upto = start;
  let seen: { readonly before: number; readonly atMs: number }[] = [];
  return {
    saw(nextPosition) {
      if (nextPosition <= upto) return;
      upto = nextPosition;
      seen.push({ before: nextPosition, atMs: clock() });
    },
    holds({ records: [first, behind], next }) {
      const isGap = first?.notice === "missing" && behind !== undefined;
      const isHeld = isGap && clock() - seenAtMs(behind.position) < waitMs;
      if (!isHeld) seen = seen.filter(({ before }) => before > next);
      return isHeld;
    },
  };

  function seenAtMs(position: number): number {
    return seen.find(({ before }) => before > position)?.atMs ?? -Infinity;
  }
}
