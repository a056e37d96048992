import type { ActionConfigPart } from "../../actions/action-plan.ts";
import type { InstallFacts } from "../../installs/install-facts.ts";
import type { Seals } from "../../seals/seals.ts";
import type { PlanOutline } from "../plan-outline.ts";
import type { ReadRendered } from "../renders.ts";

/** What of a workflow's order may be secret: the variables of a run, and what an ad hoc run does. */
export type WorkflowGiven = {
  readonly env: Readonly<Record<string, string>>;
  readonly adhoc?: ActionConfigPart;
};

/** A plan that somebody approved; an older version made it without a twin. */
export type ApprovedPlan = PlanOutline & {
  readonly text: string;
  readonly shown: string | undefined;
};

/** What kinds of steps know besides the workflow. */
export type KindEnvironment = {
  readonly facts: InstallFacts;
  readonly given: WorkflowGiven;
  readonly seals: Seals;
  /** What was rendered before this is decided. */
  readonly rendered: ReadRendered;
  readonly publicUrl: string | undefined;
  /** The plans that somebody approved, by what they are for. */
  readonly approvedPlans: ReadonlyMap<string, ApprovedPlan>;
};
