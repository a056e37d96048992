import type { LogEntry } from "./log-record.ts";
import type { Refused } from "./log-request.ts";
import type { LogStream, Sequence } from "./row.ts";

/** What a writer must know of a stream to add to it. */
export type StreamHead = Pick<LogStream, "version" | "next_position" | "sequences">;

export type PlacedEntry = { readonly position: number; readonly entry: LogEntry };

export type Numbered = {
  readonly placed: readonly PlacedEntry[];
  readonly refused: Refused;
  /** The stream as it is with them. */
  readonly head: StreamHead;
};

/** A number may be so much greater than the last: positions are kept free for what is missing. */
export const longestJump = 1_000_000;
const mostGaps = 100;
const mostExecutions = 100;

type Gap = [first: number, last: number, position: number];

/**
 * Gives each record its position in the stream. One that its execution numbered comes once: what was there before
 * is left out. Where numbers are missing, positions are kept for them, so that they are read in order if they come.
 */
export function numberRecords(head: StreamHead, entries: readonly LogEntry[]): Numbered {
  const placed: PlacedEntry[] = [];
  // Named by senders: an object would know `constructor` already.
  const sequences = new Map(Object.entries(head.sequences));
  let next = head.next_position;
  let refused: Refused = { count: 0, reason: "" };
  for (const entry of entries) {
    const { seq, executionId = "" } = entry;
    const known = sequences.get(executionId) ?? { last: 0 };
    const reason = seq === undefined ? undefined : refusalOf(seq, executionId, known.last);
    if (reason !== undefined) {
      refused = { count: refused.count + 1, reason };
    } else if (seq === undefined || executionId === "") {
      placed.push({ position: next++, entry });
    } else if (seq <= known.last) {
      const position = fillGap(sequences, executionId, seq);
      if (position !== undefined) placed.push({ position, entry });
    } else {
      const missing = seq - known.last - 1;
      const gaps = [...(known.gaps ?? [])];
      if (missing > 0) gaps.push([known.last + 1, seq - 1, next]);
      sequences.set(executionId, sequence(seq, gaps));
      next += missing;
      placed.push({ position: next++, entry });
    }
  }
  const { version } = head;
  return { placed, refused, head: { version, next_position: next, sequences: bounded(sequences) } };
}

function refusalOf(seq: number, executionId: string, last: number): string | undefined {
  if (!Number.isSafeInteger(seq) || seq < 1) return "svc.seq is a whole number from 1.";
  if (executionId !== "" && seq - last > longestJump) {
    return `svc.seq jumps from ${last} to ${seq}; it may jump by ${longestJump} at most.`;
  }
  return undefined;
}

/** The position that was kept for a missing record, which then is missing no more; undefined when it was there. */
function fillGap(
  sequences: Map<string, Sequence>,
  executionId: string,
  seq: number,
): number | undefined {
  const { last, gaps = [] } = sequences.get(executionId) ?? { last: 0 };
  const at = gaps.findIndex((gap) => gap[0] <= seq && seq <= gap[1]);
  const gap = gaps[at];
  if (gap === undefined) return undefined;
  const [first, upto, position] = gap;
  const rest: Gap[] = [];
  if (first < seq) rest.push([first, seq - 1, position]);
  if (seq < upto) rest.push([seq + 1, upto, position + seq + 1 - first]);
  sequences.set(executionId, sequence(last, gaps.toSpliced(at, 1, ...rest)));
  return position + seq - first;
}

/** The oldest gaps are given up where there are too many: what comes for them counts as having been there. */
function sequence(last: number, gaps: readonly Gap[]): Sequence {
  return gaps.length === 0
    ? { last }
    : {
        last,
        gaps: gaps.slice(-mostGaps).map(([first, upto, position]) => [first, upto, position]),
      };
}

/** The executions that came first are forgotten where there are too many. */
function bounded(sequences: ReadonlyMap<string, Sequence>): Record<string, Sequence> {
  return Object.fromEntries([...sequences].slice(-mostExecutions));
}
