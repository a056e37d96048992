import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { JobRun } from "./job-run.ts";

/** Throws JobFailure when what would be done is not what was approved; without an approval nothing is compared. */
export function judge({ approved }: JobRun, fingerprint: string): void {
  if (approved === undefined || approved.fingerprint === fingerprint) return;
  throw deployFailure(
    "What would be done is not what was approved: the plan has changed since. Make it anew.",
    "plan_stale",
  );
}
