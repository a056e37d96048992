/**
 * The steps from point to point that stats can be read in: how long each is, and the width of the rollups that it adds up.
 * Rollups are kept in four widths (`rollup_widths` in the database).
 */
const steps = {
  "1m": { lengthS: 60, widthS: 60 },
  "5m": { lengthS: 300, widthS: 300 },
  "15m": { lengthS: 900, widthS: 300 },
  "1h": { lengthS: 3600, widthS: 3600 },
  "6h": { lengthS: 21_600, widthS: 3600 },
  "1d": { lengthS: 86_400, widthS: 86_400 },
} as const;

export type StatsStep = keyof typeof steps;
export type RollupWidthS = (typeof steps)[StatsStep]["widthS"];
export const statsSteps = Object.keys(steps) as [StatsStep, ...StatsStep[]]; // its own keys

/** How many points an answer has at most. */
export const mostPoints = 500;
/** A step that nobody asked for gives fewer: as many as fit a screen. */
const usualPoints = 300;

export type TimeRange = { readonly fromMs: number; readonly toMs: number };
export type Points = TimeRange & {
  readonly step: StatsStep;
  readonly stepMs: number;
  readonly widthS: RollupWidthS;
  readonly atMs: readonly number[];
};

/** Where the points of a range begin: the range grows to whole steps, counted from midnight UTC. */
export function pointsOf(range: TimeRange, step: StatsStep): Points {
  const { lengthS, widthS } = steps[step];
  const stepMs = lengthS * 1000;
  const fromMs = Math.floor(range.fromMs / stepMs) * stepMs;
  const toMs = Math.ceil(range.toMs / stepMs) * stepMs;
  const atMs = Array.from({ length: (toMs - fromMs) / stepMs }, (_, n) => fromMs + n * stepMs);
  return { step, stepMs, widthS, fromMs, toMs, atMs };
}

/** How many points a range has with a step. */
export function countPoints({ fromMs, toMs }: TimeRange, step: StatsStep): number {
  const stepMs = steps[step].lengthS * 1000;
  return Math.ceil(toMs / stepMs) - Math.floor(fromMs / stepMs);
}

/** The shortest step that suits a range and whose rollups are still kept; undefined if there is none. */
export function stepFor(
  range: TimeRange,
  isKept: (widthS: RollupWidthS) => boolean,
  most = usualPoints,
): StatsStep | undefined {
  return statsSteps.find((step) => countPoints(range, step) <= most && isKept(steps[step].widthS));
}
