import { problem } from "../../shared/problem.ts";
import { chooseSample, type Sample } from "../../shared/webhooks/sample-events.ts";

/** The sample that is asked for; 422 where no workflow or step tells such a thing. */
export function requireSample(asked: Parameters<typeof chooseSample>[0]): Sample {
  const chosen = chooseSample(asked);
  if (!("allowed" in chosen)) return chosen;
  const { allowed } = chosen;
  throw problem.invalid([
    allowed.length === 0
      ? { pointer: "?kind", code: "invalid_value", detail: "No event of this kind tells of that." }
      : {
          pointer: "?transition",
          code: "invalid_value",
          detail: `Must be one of ${allowed.join(", ")} for this event and kind.`,
        },
  ]);
}
