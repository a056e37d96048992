import type { TimeRange } from "../../shared/stats-steps.ts";

/** A stretch of time, and which kinds of span cover it; `has` answers until the next stretch is asked for. */
export type Stretch<Kind> = TimeRange & { readonly has: (kind: Kind) => boolean };

/** A range from one begin or end of a span to the next, in one pass over these in the order of time. */
export function* stretchesOf<Kind extends string>(
  spans: Readonly<Record<Kind, readonly TimeRange[]>>,
  range: TimeRange,
): Generator<Stretch<Kind>> {
  const covering = new Map<Kind, number>();
  const has = (kind: Kind): boolean => (covering.get(kind) ?? 0) > 0;
  let fromMs = range.fromMs;
  for (const { atMs, kind, by } of edgesOf(spans, range)) {
    if (atMs > fromMs) {
      yield { fromMs, toMs: atMs, has };
      fromMs = atMs;
    }
    covering.set(kind, (covering.get(kind) ?? 0) + by);
  }
  if (fromMs < range.toMs) yield { fromMs, toMs: range.toMs, has };
}

type Edge<Kind> = { readonly atMs: number; readonly kind: Kind; readonly by: 1 | -1 };

/** Where spans begin and end within the range. */
function edgesOf<Kind extends string>(
  spans: Readonly<Record<Kind, readonly TimeRange[]>>,
  range: TimeRange,
): Edge<Kind>[] {
  const kinds = Object.entries<readonly TimeRange[]>(spans) as [Kind, readonly TimeRange[]][];
  const edges = kinds.flatMap(([kind, all]) =>
    all.flatMap((span): Edge<Kind>[] => {
      const fromMs = Math.max(span.fromMs, range.fromMs);
      const toMs = Math.min(span.toMs, range.toMs);
      if (fromMs >= toMs) return [];
      return [
        { atMs: fromMs, kind, by: 1 },
        { atMs: toMs, kind, by: -1 },
      ];
    }),
  );
  return edges.toSorted((a, b) => a.atMs - b.atMs);
}
