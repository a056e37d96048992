import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Planned } from "./plan-kind.ts";

/** What a plan may have, all in all. */
const mostPlanBytes = 16 * 2 ** 20 - 64 * 1024;

/**
 * The plan of the job that applies exactly what was planned: the planning job's own, byte for byte, with what was approved.
 * A UsageError when that is too large for one plan.
 */
export function applyPlanText(
  planText: string,
  { approved, spare }: Pick<Planned, "approved" | "spare">,
): string {
  const whole = joined(planText, { ...approved, ...spare });
  if (whole.length <= mostPlanBytes) return whole;
  const least = joined(planText, approved); // people have seen the rest: who applies does not need it
  if (least.length <= mostPlanBytes) return least;
  throw new UsageError(
    "What was planned and its source are too large for one job together: 16 MiB are the most. Make the folder smaller, or let the plan name a git source.",
  );
}

/** The text stays as it is: to read and write it would change the digits of great numbers. */
function joined(planText: string, members: object): string {
  return `${planText.trimEnd().slice(0, -1)},${JSON.stringify(members).slice(1)}`;
}
