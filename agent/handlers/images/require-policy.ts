import { invalidPlan } from "../../jobs/job-failure.ts";
import { isPolicy } from "../../registry/choose-tag.ts";

/** Refuses an update policy that is neither `newest` nor a range. Throws JobFailure; `name` is its own in the plan. */
export function requirePolicy(policy: string, name: string): void {
  if (!isPolicy(policy))
    throw invalidPlan(`${name} must be newest, or a range of versions like ^1.2`);
}
