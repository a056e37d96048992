import type { RunnerJobType } from "../runner-job-types.ts";
import { planSchemaFor } from "./plan-schema-for.ts";

/** A member of a plan that has another type than runners expect. */
export type PlanFault = {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
};

/** What is wrong with a plan; what its kind does not know is never wrong, and neither is what is absent. */
export function checkPlan(type: RunnerJobType, plan: object): PlanFault[] {
  return planSchemaFor(type)?.safeParse(plan).error?.issues ?? [];
}
