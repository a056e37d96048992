import fc from "fast-check";
import { expect, test } from "vitest";
import type { TimeRange } from "../../shared/stats-steps.ts";
import { stretchesOf } from "./stretches.ts";

const kinds = ["active", "silent", "paused"] as const;
type Kind = (typeof kinds)[number];
type Spans = Readonly<Record<Kind, readonly TimeRange[]>>;
type Covered = TimeRange & { readonly of: readonly Kind[] };

const range = { fromMs: 10, toMs: 30 };

const swept = (spans: Spans): Covered[] =>
  Array.from(stretchesOf(spans, range), ({ fromMs, toMs, has }) => ({
    fromMs,
    toMs,
    of: kinds.filter((kind) => has(kind)),
  }));

/** What it means: every millisecond looked at by itself. */
const lookedAt = (spans: Spans): Covered[] =>
  Array.from({ length: range.toMs - range.fromMs }, (_, n) => {
    const fromMs = range.fromMs + n;
    const isThere = (span: TimeRange): boolean => span.fromMs <= fromMs && fromMs < span.toMs;
    return { fromMs, toMs: fromMs + 1, of: kinds.filter((kind) => spans[kind].some(isThere)) };
  });

function joined(all: readonly Covered[]): Covered[] {
  const found: Covered[] = [];
  for (const one of all) {
    const last = found.at(-1);
    if (last?.of.join() === one.of.join()) found[found.length - 1] = { ...last, toMs: one.toMs };
    else found.push(one);
  }
  return found;
}

const span = fc.record({
  fromMs: fc.integer({ min: 0, max: 40 }),
  toMs: fc.integer({ min: 0, max: 40 }), // some end before they begin
});
const spans = fc.array(span, { maxLength: 8 });

test("each stretch has the kinds that cover it, and all together are the range", () => {
  const given = fc.record({ active: spans, silent: spans, paused: spans });
  fc.assert(
    fc.property(given, (some) => {
      expect(joined(swept(some))).toEqual(joined(lookedAt(some)));
    }),
  );
});

test("each span is read once, however many there are", () => {
  let reads = 0;
  const counted = (fromMs: number): TimeRange => ({
    get fromMs() {
      reads += 1;
      return fromMs;
    },
    toMs: fromMs + 1,
  });
  const many = (first: number) => Array.from({ length: 1000 }, (_, n) => counted(first + n / 100));
  const stretches = swept({ active: many(11), silent: many(12), paused: many(13) });
  expect(stretches.length).toBeGreaterThan(1000);
  expect(reads).toBe(3000);
});
