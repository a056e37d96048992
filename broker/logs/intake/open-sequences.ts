import type { Gap, LogSequenceRow, Sequence } from "../store/row.ts";

/** The state of an execution's numbers while records are added. */
export type OpenSequence = {
  last: number;
  /** In order. Of those that were put away, the ones that are asked for. */
  gaps: Gap[];
  isChanged: boolean;
};

/** Part of the state of an execution's numbers, to be stored in a row of its own; null removes it. */
export type SequencePart = Pick<LogSequenceRow, "execution_id" | "first"> & {
  readonly part: Sequence | readonly Gap[] | null;
};

export type OpenSequences = {
  readonly of: (executionId: string) => OpenSequence;
  /** The parts for the stream's row, at this position, and those for rows of their own. */
  readonly close: (position: number) => ClosedSequences;
};
export type ClosedSequences = {
  readonly sequences: Record<string, Sequence>;
  readonly parts: readonly SequencePart[];
};

export const mostGaps = 100;
const pageGaps = 50;
export const mostExecutions = 100;
/** After the first one was moved out, at least this many stay in the row: with fewer, no look-up is needed. */
const keptExecutions = 75;
/** Stands for all executions that were moved out of the row. */
const others = "";

/** The parts that records of these numbers need: the page that holds one, and, by 0, the execution itself. */
export type WantedParts = { readonly executionIds: string[]; readonly seqs: number[] };
type Numbered = { readonly executionId?: string | undefined; readonly seq?: number | undefined };

/** What must be looked for beside the stream's row before these are added; nearly always nothing. */
export function wantedParts(
  sequences: Readonly<Record<string, Sequence>>,
  requests: readonly (readonly Numbered[])[],
): WantedParts | undefined {
  const known = new Map(Object.entries(sequences));
  const isMany = known.size >= keptExecutions;
  if (!isMany && !Object.values(sequences).some(({ away }) => away !== undefined)) return undefined;
  const wanted = new Map<string, Set<number>>();
  for (const { executionId = "", seq } of requests.flat()) {
    if (seq === undefined || !Number.isSafeInteger(seq) || executionId === "") continue;
    const sequence = known.get(executionId);
    const isAway = sequence === undefined ? isMany : seq <= (sequence.away?.upto ?? 0);
    if (!isAway) continue;
    const seqs = wanted.get(executionId) ?? new Set(sequence === undefined ? [0] : []);
    wanted.set(executionId, seqs.add(Math.max(0, seq)));
  }
  const pairs = [...wanted].flatMap(([id, seqs]) => [...seqs].map((seq) => [id, seq] as const));
  if (pairs.length === 0) return undefined;
  return { executionIds: pairs.map(([id]) => id), seqs: pairs.map(([, seq]) => seq) };
}

type Page = { readonly first: number; readonly gaps: readonly Gap[] };
type Opened = OpenSequence & {
  readonly pages: readonly Page[];
  readonly before: Sequence;
  readonly wasAway: boolean;
};

/** Opens what a stream's row tells of its executions, with the parts that were asked for. */
export function openSequences(
  sequences: Readonly<Record<string, Sequence>>,
  stored: readonly LogSequenceRow[],
): OpenSequences {
  // Named by senders: an object would know `constructor` already.
  const known = new Map(Object.entries(sequences));
  const parts = Map.groupBy(stored, ({ execution_id: id }) => id);
  const opened = new Map<string, Opened>();
  return {
    of: (executionId) => {
      const open =
        opened.get(executionId) ?? openSequence(known.get(executionId), parts.get(executionId));
      opened.set(executionId, open);
      return open;
    },
    close: (position) => {
      const changed = [...opened].filter(([, { isChanged }]) => isChanged);
      const written: SequencePart[] = [];
      let missing = known.get(others)?.away?.missing ?? 0;
      for (const [id, open] of changed) {
        const { sequence, pages } = closeSequence(id, open);
        written.push(...pages);
        if (open.wasAway) missing -= missingOf(open.before);
        // The only one needs no mark of when it came last.
        const isOnly = known.size === 0 || (known.size === 1 && known.has(id));
        known.set(id, isOnly ? sequence : { ...sequence, used: position });
      }
      for (const id of leastUsed(known, new Set(changed.map(([one]) => one)))) {
        const { used: _, ...sequence } = known.get(id) ?? { last: 0 };
        written.push({ execution_id: id, first: 0, part: sequence });
        missing += missingOf(sequence);
        known.delete(id);
      }
      known.delete(others);
      if (missing > 0) known.set(others, { last: 0, away: { upto: 0, missing } });
      return { sequences: Object.fromEntries(known), parts: written };
    },
  };
}

/** How many numbers are missing below the greatest. */
export function missingOf({ gaps = [], away }: Pick<Sequence, "gaps" | "away">): number {
  return countOf(gaps) + (away?.missing ?? 0);
}

const countOf = (gaps: readonly Gap[]): number =>
  gaps.reduce((sum, [first, last]) => sum + last - first + 1, 0);

function openSequence(known: Sequence | undefined, parts: readonly LogSequenceRow[] = []): Opened {
  const whole = parts.find(({ first }) => first === 0)?.part as Sequence | undefined; // as it was written
  const before = known ?? whole ?? { last: 0 };
  const pages = parts
    .filter(({ first }) => first > 0)
    .map(({ first, part }): Page => ({ first, gaps: part as Gap[] })) // as it was written
    .toSorted((a, b) => a.first - b.first);
  const gaps = [...pages.flatMap((page) => page.gaps), ...(before.gaps ?? [])];
  const wasAway = known === undefined && whole !== undefined;
  return { last: before.last, gaps, isChanged: false, pages, before, wasAway };
}

/** The newest gaps stay in the row; the others go to pages. */
function closeSequence(
  id: string,
  { last, gaps, pages, before }: Opened,
): { readonly sequence: Sequence; readonly pages: SequencePart[] } {
  const { upto = 0, missing = 0 } = before.away ?? {};
  const hotFrom = gaps.findIndex(([first]) => first > upto);
  const hot = hotFrom < 0 ? [] : gaps.slice(hotFrom);
  const cold = hotFrom < 0 ? gaps : gaps.slice(0, hotFrom);
  const written = pages.flatMap((page, at) => {
    const end = pages[at + 1]?.first ?? Infinity;
    const left = cold.filter(([first]) => first >= page.first && first < end);
    return countOf(left) === countOf(page.gaps) ? [] : pagesOf(id, left, page.first);
  });
  const stillMissing = missing - countOf(pages.flatMap((page) => page.gaps)) + countOf(cold);
  const most = Math.max(0, Math.ceil((hot.length - mostGaps) / pageGaps)) * pageGaps;
  const aged = hot.splice(0, most);
  const away = {
    upto: aged.at(-1)?.[1] ?? upto,
    missing: stillMissing + countOf(aged),
  };
  return {
    sequence: {
      last,
      ...(hot.length > 0 && { gaps: hot }),
      ...(away.missing > 0 && { away }),
    },
    pages: aged.length === 0 ? written : [...written, ...pagesOf(id, aged)],
  };
}

/** A page that was filled in many places is split; one without a gap is removed. */
function pagesOf(id: string, gaps: readonly Gap[], key?: number): SequencePart[] {
  if (key !== undefined && gaps.length <= 2 * pageGaps) {
    return [{ execution_id: id, first: key, part: gaps.length === 0 ? null : gaps }];
  }
  const pages: SequencePart[] = [];
  for (let at = 0; at < gaps.length; at += pageGaps) {
    const part = gaps.slice(at, at + pageGaps);
    const first = at === 0 && key !== undefined ? key : (part[0]?.[0] ?? 0);
    pages.push({ execution_id: id, first, part });
  }
  return pages;
}

/** The executions to move out of the row when there are too many: the least recently used ones, never those in use. */
function leastUsed(
  known: ReadonlyMap<string, Sequence>,
  justUsed: ReadonlySet<string>,
): readonly string[] {
  if (known.size <= mostExecutions) return [];
  return [...known]
    .filter(([id]) => id !== others && !justUsed.has(id))
    .toSorted(([, a], [, b]) => (a.used ?? 0) - (b.used ?? 0))
    .slice(0, known.size - keptExecutions)
    .map(([id]) => id);
}
