import { problem } from "../../shared/problem.ts";
import {
  countPoints,
  mostPoints,
  type Points,
  pointsOf,
  stepFor,
  type StatsStep,
  type TimeRange,
} from "../../shared/stats-steps.ts";
import type { RetainStatsDays } from "./stats-settings.ts";

/** A range of time, and the step from point to point; each may be left to the broker. */
export type AskedRange = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: StatsStep | undefined;
};

const dayMs = 24 * 3600_000;

/** The points of the range that was asked for; refuses one that is turned round, too long for its step, or longer than what is kept. */
export function choosePoints(
  { from, to, step }: AskedRange,
  { nowMs, retainDays }: { readonly nowMs: number; readonly retainDays: RetainStatsDays },
): Points {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - dayMs : Date.parse(from);
  if (fromMs >= toMs) throw refusal("?from", "range_reversed", "`from` must be before `to`.");
  const range: TimeRange = { fromMs, toMs };
  const isKept = (widthS: keyof RetainStatsDays): boolean =>
    fromMs >= nowMs - retainDays[widthS] * dayMs;
  const least = stepFor(range, () => true, mostPoints);
  const chosen = step ?? stepFor(range, isKept) ?? stepFor(range, isKept, mostPoints) ?? least;
  if (chosen !== undefined && countPoints(range, chosen) <= mostPoints)
    return pointsOf(range, chosen);
  throw refusal(
    step === undefined ? "?from" : "?step",
    "too_many_points",
    least === undefined
      ? `At most ${mostPoints} days are answered at once. Ask for a shorter range.`
      : `At most ${mostPoints} points are answered at once. Ask for a step of ${least} or more, or for a shorter range.`,
  );
}

function refusal(pointer: "?from" | "?step", code: string, detail: string) {
  return problem.invalid([{ pointer, code, detail }]);
}
