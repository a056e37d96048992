import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { keyedDigest } from "../../kubernetes/keyed-digest.ts";
import type { JobRun } from "./job-run.ts";

/**
 * Throws JobFailure when what would be done is not what was approved; without an approval there is nothing to compare.
 */
export function judge({ approved }: JobRun, what: string): void {
  if (approved === undefined) return;
  const { key, fingerprint } = approved;
  if (key !== undefined && keyedDigest(what, key) === fingerprint) return;
  throw deployFailure(
    "The changes are not what was approved: the plan has changed since, or its cluster has another address. Make a new plan.",
    "plan_stale",
  );
}
