import { type PlanFacts, planFacts } from "../../shared/plans/plan-facts.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { WorkDone, WorkGiven } from "../work-pool/work-kind.ts";

/** What a large plan names, found out in a child process. */
export function largePlanFacts({
  asked: { type },
  bytes,
}: WorkGiven<{ readonly type: RunnerJobType }>): WorkDone<PlanFacts> {
  return { told: planFacts(String(bytes.pop() ?? ""), type), bytes: [] };
}
