import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEntry } from "./log-record.ts";
import { longestJump, numberRecords, type PlacedEntry, type StreamHead } from "./number-records.ts";

const empty: StreamHead = { version: 0, next_position: 1, sequences: {} };

function entry(seq: number | undefined, executionId = "exe_1"): LogEntry {
  const said = seq === undefined ? {} : { seq, executionId };
  return { atUs: 1, severity: 9, body: `line ${seq}`, resource: {}, attributes: {}, ...said };
}

const entries = (...seqs: (number | undefined)[]) => seqs.map((seq) => entry(seq));
const places = (placed: readonly PlacedEntry[]) =>
  placed.map(({ position, entry: { seq } }) => [position, seq]);

describe("records with a number", () => {
  test("are taken once, however often they come", () => {
    const first = numberRecords(empty, entries(1, 2, 3));
    const again = numberRecords(first.head, entries(2, 3, 4, 4, 1));
    expect(places(again.placed)).toEqual([[4, 4]]);
    expect(again.refused.count).toBe(0);
  });

  test("leave room for those that are missing, and fill it", () => {
    const first = numberRecords(empty, entries(1, 5));
    expect(places(first.placed)).toEqual([
      [1, 1],
      [5, 5],
    ]);
    const late = numberRecords(first.head, entries(3, 3, 6));
    expect(places(late.placed)).toEqual([
      [3, 3],
      [6, 6],
    ]);
    const rest = numberRecords(late.head, entries(4, 2, 1));
    expect(places(rest.placed)).toEqual([
      [4, 4],
      [2, 2],
    ]);
    expect(rest.head.sequences).toEqual({ exe_1: { last: 6 } });
  });

  test("are refused when they jump too far or are no numbers", () => {
    const sent = entries(1, longestJump + 2, 0, -1, 1.5, Number.NaN, 2);
    const { placed, refused, head } = numberRecords(empty, sent);
    expect(places(placed)).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(refused.count).toBe(5);
    expect(head.next_position).toBe(3);
  });

  test("of several executions are told apart", () => {
    const sent = [entry(1, "exe_1"), entry(1, "exe_2"), entry(2, "exe_1"), entry(1, "exe_1")];
    expect(numberRecords(empty, sent).placed).toHaveLength(3);
  });
});

test("records without a number are taken each time, in their order", () => {
  const { placed } = numberRecords(empty, entries(undefined, 1, undefined));
  expect(places(placed)).toEqual([
    [1, undefined],
    [2, 1],
    [3, undefined],
  ]);
});

test("whatever is sent in whatever pieces, every number stands once and in order", () => {
  const pieces = fc.array(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }));
  fc.assert(
    fc.property(pieces, (sent) => {
      let head = empty;
      const stored: PlacedEntry[] = [];
      for (const piece of sent) {
        const numbered = numberRecords(head, entries(...piece));
        stored.push(...numbered.placed);
        head = numbered.head;
      }
      const seqs = stored
        .toSorted((a, b) => a.position - b.position)
        .map(({ entry: { seq } }) => seq);
      expect(seqs).toEqual([...new Set(sent.flat())].toSorted((a, b) => a - b));
    }),
  );
});
