import { maskPlan } from "../../shared/plans/mask-plan.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { Actor } from "../tokens/actor.ts";

/** Whether what this caller is shown of plans lacks their secrets. */
export function seesMaskedPlans({ permissions }: Pick<Actor, "permissions">): boolean {
  return !permissions.has("plans.secrets");
}

/** The text of a plan as this caller may see it: byte for byte, or without its secrets. */
export function showPlan(
  actor: Pick<Actor, "permissions">,
  { type }: { readonly type: RunnerJobType },
  text: string,
): string {
  return seesMaskedPlans(actor) ? JSON.stringify(maskPlan(type, JSON.parse(text))) : text;
}
