import type { Refused } from "../../otlp/partial-success.ts";
import type { LogEntry } from "../store/log-record.ts";
import type { Gap, LogSequenceRow, LogStream } from "../store/row.ts";
import { openSequences, type OpenSequence, type OpenSequences } from "./open-sequences.ts";
import type { SequencePart } from "./open-sequences.ts";

/** What a writer must know of a stream to append to it. */
export type StreamHead = Pick<LogStream, "version" | "next_position" | "sequences">;

export type PlacedEntry = { readonly position: number; readonly entry: LogEntry };

/** The outcome of one request. */
export type PlacedRequest = {
  readonly placed: readonly PlacedEntry[];
  readonly refused: Refused;
};

export type Numbered = {
  readonly requests: readonly PlacedRequest[];
  /** The stream as it is with them, except for its version. */
  readonly head: StreamHead;
  /** What is to be stored in rows of their own. */
  readonly parts: readonly SequencePart[];
};

/** How much greater than the last a number may be: positions are reserved for the missing ones. */
export const longestJump = 1_000_000;

/**
 * Gives each record its position in the stream, one request after the other. A numbered record is stored
 * once: repetitions are left out. Positions are reserved for missing numbers, so that they are
 * read in order if they arrive. `stored` has the parts that `wantedParts` asks for.
 */
export function numberRecords(
  head: StreamHead,
  requests: readonly (readonly LogEntry[])[],
  stored: readonly LogSequenceRow[] = [],
): Numbered {
  const sequences = openSequences(head.sequences, stored);
  let next = head.next_position;
  const placed = requests.map((entries) => {
    const request = placeEntries(sequences, inNumberOrder(entries), next);
    next = request.next;
    return request;
  });
  const { parts, ...closed } = sequences.close(next);
  return {
    requests: placed,
    head: { version: head.version, next_position: next, sequences: closed.sequences },
    parts,
  };
}

/** A request may be grouped by scope or thread: the numbered records of an execution are sorted within their places. */
function inNumberOrder(entries: readonly LogEntry[]): readonly LogEntry[] {
  if (isInOrder(entries)) return entries;
  const places = new Map<string, number[]>();
  for (const [at, { seq, executionId = "" }] of entries.entries()) {
    if (!isNumber(seq) || executionId === "") continue;
    const own = places.get(executionId);
    if (own === undefined) places.set(executionId, [at]);
    else own.push(at);
  }
  const ordered = [...entries];
  for (const own of places.values()) {
    const sorted = own
      .flatMap((at) => entries[at] ?? [])
      .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
    for (const [nth, entry] of sorted.entries()) ordered[own[nth] ?? 0] = entry;
  }
  return ordered;
}

function isInOrder(entries: readonly LogEntry[]): boolean {
  const lasts = new Map<string, number>();
  let current: string | undefined;
  let last = 0;
  for (const { seq, executionId = "" } of entries) {
    if (!isNumber(seq) || executionId === "") continue;
    if (executionId !== current) {
      if (current !== undefined) lasts.set(current, last);
      current = executionId;
      last = lasts.get(executionId) ?? 0;
    }
    if (seq < last) return false;
    last = seq;
  }
  return true;
}

const isNumber = (seq: number | undefined): seq is number =>
  seq !== undefined && Number.isSafeInteger(seq) && seq >= 1;

function placeEntries(
  sequences: OpenSequences,
  entries: readonly LogEntry[],
  from: number,
): PlacedRequest & { readonly next: number } {
  const placed: PlacedEntry[] = [];
  const fillers = new Map<OpenSequence, Filler>();
  let next = from;
  let refused: Refused = { count: 0, reason: "" };
  for (const entry of entries) {
    const { seq, executionId = "" } = entry;
    const sequence = executionId === "" ? undefined : sequences.of(executionId);
    const reason = seq === undefined ? undefined : refusalOf(seq, sequence);
    if (reason !== undefined) {
      refused = { count: refused.count + 1, reason };
    } else if (seq === undefined || sequence === undefined) {
      placed.push({ position: next++, entry });
    } else if (seq <= sequence.last) {
      const filler = fillers.get(sequence) ?? makeFiller(sequence);
      fillers.set(sequence, filler);
      const position = filler.fill(seq);
      if (position !== undefined) placed.push({ position, entry });
    } else {
      const missing = seq - sequence.last - 1;
      if (missing > 0) sequence.gaps.push([sequence.last + 1, seq - 1, next]);
      sequence.last = seq;
      sequence.isChanged = true;
      next += missing;
      placed.push({ position: next++, entry });
    }
  }
  for (const filler of fillers.values()) filler.end();
  return { placed, refused, next };
}

function refusalOf(seq: number, sequence: OpenSequence | undefined): string | undefined {
  if (!isNumber(seq)) return "svc.seq must be a whole number, 1 or more.";
  if (sequence !== undefined && seq - sequence.last > longestJump) {
    return `svc.seq jumps from ${sequence.last} to ${seq}. It may jump by at most ${longestJump}.`;
  }
  return undefined;
}

type Filler = {
  /** The position that was reserved for a missing record, which then is filled; undefined when it is not missing. */
  readonly fill: (seq: number) => number | undefined;
  readonly end: () => void;
};

/** Fills gaps of an execution by ascending numbers, in one pass over all gaps. */
function makeFiller(sequence: OpenSequence): Filler {
  const passed: Gap[] = [];
  let at = 0;
  return {
    fill: (seq) => {
      const { gaps } = sequence;
      for (let gap = gaps[at]; gap !== undefined && gap[1] < seq; gap = gaps[at]) {
        passed.push(gap);
        at += 1;
      }
      const gap = gaps[at];
      if (gap === undefined || seq < gap[0]) return undefined;
      const [first, upto, position] = gap;
      if (first < seq) passed.push([first, seq - 1, position]);
      if (seq < upto) gaps[at] = [seq + 1, upto, position + seq + 1 - first];
      else at += 1;
      sequence.isChanged = true;
      return position + seq - first;
    },
    end: () => {
      sequence.gaps = [...passed, ...sequence.gaps.slice(at)];
    },
  };
}
