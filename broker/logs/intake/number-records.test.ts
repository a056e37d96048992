import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "../store/log-record.ts";
import type { LogSequenceRow } from "../store/row.ts";
import { longestJump, numberRecords, type PlacedEntry, type StreamHead } from "./number-records.ts";
import { missingOf, mostExecutions, mostGaps, wantedParts } from "./open-sequences.ts";

const empty: StreamHead = { version: 0, next_position: 1, sequences: {} };

function entry(seq: number | undefined, executionId = "exe_1"): LogEntry {
  const said = seq === undefined ? {} : { seq, executionId };
  return { atUs: 1, severity: 9, body: `line ${seq}`, resource: {}, attributes: {}, ...said };
}

const entries = (...seqs: (number | undefined)[]) => seqs.map((seq) => entry(seq));
const places = (placed: readonly PlacedEntry[]) =>
  placed.map(({ position, entry: { seq } }) => [position, seq]);

/** What stands beside a stream's row, as the database keeps it. */
function givenStream() {
  let head = empty;
  const rows = new Map<string, LogSequenceRow>();
  const stored: PlacedEntry[] = [];
  return {
    stored,
    head: () => head,
    rows: () => rows.size,
    take: (...requests: readonly LogEntry[][]) => {
      const wanted = wantedParts(head.sequences, requests);
      const found = wanted?.executionIds.map((id, at) => find(id, wanted.seqs[at] ?? 0)) ?? [];
      const parts = [...new Set(found.flatMap((row) => row ?? []))];
      const numbered = numberRecords(head, requests, structuredClone(parts));
      stored.push(...numbered.requests.flatMap(({ placed }) => placed));
      for (const row of numbered.parts) {
        const key = `${row.execution_id} ${row.first}`;
        if (row.part === null) rows.delete(key);
        else rows.set(key, structuredClone(row));
      }
      // jsonb keeps no order.
      const sequences = Object.entries(structuredClone(numbered.head.sequences)).toSorted(
        ([a], [b]) => (a < b ? -1 : 1),
      );
      head = { ...numbered.head, sequences: Object.fromEntries(sequences) };
      return numbered.requests;
    },
  };

  function find(id: string, seq: number): LogSequenceRow | undefined {
    return [...rows.values()]
      .filter(({ execution_id: of, first }) => of === id && first <= seq)
      .toSorted((a, b) => b.first - a.first)[0];
  }
}

/** What one request makes of a stream. */
function take(head: StreamHead, sent: readonly LogEntry[]) {
  const { requests, ...rest } = numberRecords(head, [sent]);
  const [request = { placed: [], refused: { count: 0, reason: "" } }] = requests;
  return { ...request, head: rest.head };
}

describe("records with a number", () => {
  test("are taken once, however often they come", () => {
    const first = take(empty, entries(1, 2, 3));
    const again = take(first.head, entries(2, 3, 4, 4, 1));
    expect(places(again.placed)).toEqual([[4, 4]]);
    expect(again.refused.count).toBe(0);
  });

  test("leave room for those that are missing, and fill it", () => {
    const first = take(empty, entries(1, 5));
    expect(places(first.placed)).toEqual([
      [1, 1],
      [5, 5],
    ]);
    const late = take(first.head, entries(3, 3, 6));
    expect(places(late.placed)).toEqual([
      [3, 3],
      [6, 6],
    ]);
    const rest = take(late.head, entries(4, 2, 1));
    expect(places(rest.placed)).toEqual([
      [2, 2],
      [4, 4],
    ]);
    expect(rest.head.sequences).toEqual({ exe_1: { last: 6 } });
  });

  test("are refused when they jump too far or are no numbers", () => {
    const sent = entries(1, longestJump + 3, 0, -1, 1.5, Number.NaN, 2);
    const { placed, refused, head } = take(empty, sent);
    expect(places(placed)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(refused.count).toBe(5);
    expect(head.next_position).toBe(3);
  });

  test("of several executions are told apart", () => {
    const sent = [entry(1, "exe_1"), entry(1, "exe_2"), entry(2, "exe_1"), entry(1, "exe_1")];
    expect(take(empty, sent).placed).toHaveLength(3);
  });
});

test("records without a number are taken each time, in their order", () => {
  const { placed } = take(empty, entries(undefined, 1, undefined));
  expect(places(placed)).toEqual([
    [1, undefined],
    [2, 1],
    [3, undefined],
  ]);
});

test("what a request brings out of order stands in the order of its numbers, what has none where it stood", () => {
  const sent = [
    ...entries(1, 3, undefined, 5),
    entry(2, "exe_2"),
    ...entries(2, 4, 2),
    entry(1, "exe_2"),
  ];
  const { placed, head } = take(empty, sent);
  expect(placed.map(({ position, entry: of }) => [position, of.executionId, of.seq])).toEqual([
    [1, "exe_1", 1],
    [2, "exe_1", 2],
    [3, undefined, undefined],
    [4, "exe_2", 1],
    [5, "exe_1", 3],
    [6, "exe_1", 4],
    [7, "exe_1", 5],
    [8, "exe_2", 2],
  ]);
  expect(missingOf(head.sequences["exe_1"] ?? { gaps: [[0, 0, 0]] })).toBe(0);
});

describe("more gaps than a stream's row holds", () => {
  const odd = (upto: number) => Array.from({ length: upto / 2 }, (_, at) => at * 2 + 1);

  test("stand beside it, and are filled, each once", () => {
    const { take: takeAll, head, stored, rows } = givenStream();
    takeAll(entries(...odd(2000)));
    expect(head().sequences["exe_1"]?.gaps).toHaveLength(mostGaps - 1);
    expect(missingOf(head().sequences["exe_1"] ?? { gaps: [] })).toBe(999);
    const even = odd(2000).map((seq) => seq + 1);
    for (let at = 0; at < even.length; at += 7) {
      takeAll(entries(...even.slice(at, at + 7)), entries(...even.slice(at, at + 7)));
    }
    takeAll(entries(...odd(2000), ...even));
    expect(places(stored.toSorted((a, b) => a.position - b.position))).toEqual(
      Array.from({ length: 2000 }, (_, at) => [at + 1, at + 1]),
    );
    expect(head().sequences).toEqual({ exe_1: { last: 2000 } });
    expect(rows()).toBe(0);
  });

  test("come of one wide gap that is filled here and there", () => {
    const { take: takeAll, head, stored } = givenStream();
    takeAll(entries(...odd(400).map((seq) => seq * 3), 5000));
    const inside = odd(1600).map((seq) => seq + 1300);
    takeAll(entries(...inside));
    takeAll(entries(6000, 8000, ...odd(800).map((seq) => seq + 7000)));
    takeAll(entries(...inside));
    const seqs = new Set(stored.map(({ entry: { seq } }) => seq));
    expect(seqs.size).toBe(stored.length);
    expect(missingOf(head().sequences["exe_1"] ?? {})).toBe(8000 - seqs.size);
  });
});

test("more executions than a stream's row holds are told apart, whoever comes again", () => {
  const { take: takeAll, head, stored } = givenStream();
  const ids = Array.from({ length: 3 * mostExecutions }, (_, n) => `exe_${n}`);
  for (const id of ids) takeAll([entry(1, id), entry(3, id)]);
  expect(Object.keys(head().sequences).length).toBeLessThanOrEqual(mostExecutions + 1);
  const missing = () =>
    Object.values(head().sequences).reduce((sum, one) => sum + missingOf(one), 0);
  expect(missing()).toBe(ids.length);
  for (const id of ids) takeAll([entry(1, id), entry(2, id)], [entry(2, id), entry(3, id)]);
  expect(stored).toHaveLength(3 * ids.length);
  expect(missing()).toBe(0);
});

/** What is sent in one request: numbers from somewhere on, some left out, some out of order, of some executions. */
const piece = fc.record({
  executionId: fc.integer({ min: 1, max: 4 }).map((n) => `exe_${n}`),
  from: fc.integer({ min: 1, max: 1500 }),
  step: fc.integer({ min: 1, max: 5 }),
  length: fc.integer({ min: 1, max: 300 }),
  turned: fc.boolean(),
});
type Piece = typeof piece extends fc.Arbitrary<infer Of> ? Of : never;

function entriesOf({ executionId, from, step, length, turned }: Piece): LogEntry[] {
  const sent = Array.from({ length }, (_, at) => entry(from + at * step, executionId));
  return turned ? sent.toReversed() : sent;
}

test("whatever is sent in whatever pieces, every number stands once and in order, and what is missing is known", () => {
  const rounds = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
  fc.assert(
    fc.property(rounds, fc.boolean(), (sent, isJoined) => {
      const { take: takeAll, head, stored } = givenStream();
      const expected = new Map<string, Set<number>>();
      for (const round of sent) {
        const requests = round.map(entriesOf);
        takeAll(...(isJoined ? [requests.flat()] : requests));
        for (const { executionId = "", seq = 0 } of requests.flat()) {
          const seqs = expected.get(executionId) ?? new Set<number>();
          expected.set(executionId, seqs.add(seq));
        }
      }
      const inOrder = stored.toSorted((a, b) => a.position - b.position);
      expect(new Set(inOrder.map(({ position }) => position)).size).toBe(inOrder.length);
      for (const [id, seqs] of expected) {
        const own = inOrder.filter(({ entry: { executionId } }) => executionId === id);
        const wanted = [...seqs].toSorted((a, b) => a - b);
        expect(own.map(({ entry: { seq } }) => seq)).toEqual(wanted);
        const { last, ...missing } = head().sequences[id] ?? { last: 0 };
        expect([last, missingOf(missing)]).toEqual([
          wanted.at(-1),
          Math.max(...wanted) - wanted.length,
        ]);
      }
      const reserved = [...expected.values()].reduce((sum, seqs) => sum + Math.max(...seqs), 0);
      expect(head().next_position - 1).toBe(reserved);
    }),
    { numRuns: 50 },
  );
});
