import { maskPlan } from "../../shared/plans/mask-plan.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";

/** The JSON of a large plan without its secrets, made in a child process. */
export function maskLargePlan({
  asked: { type },
  bytes,
}: WorkGiven<{ readonly type: RunnerJobType }>): WorkDone<object> {
  const masked = JSON.stringify(maskPlan(type, JSON.parse(String(bytes.pop() ?? ""))));
  return { told: {}, bytes: [Buffer.from(masked)] };
}
