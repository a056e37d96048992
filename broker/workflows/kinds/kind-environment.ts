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

/** What a step needs to begin, and child processes may have to find: throws `NotKnown` where it is not found yet. */
export type DecisionNeeds = {
  readonly rendered: ReadRendered;
  /** By the approval's id; undefined where no plan is stored. */
  readonly approvedPlan: (approvalId: string) => ApprovedPlan | undefined;
  /** What a job that ended well told, by the job's id. */
  readonly outputsOf: (jobId: string) => Readonly<Record<string, unknown>>;
};

/** What the begin of a step may need. */
export type NeedsToBegin = Omit<DecisionNeeds, "outputsOf">;

/** What kinds of steps know besides the workflow. */
export type KindEnvironment = DecisionNeeds & {
  readonly facts: InstallFacts;
  readonly given: WorkflowGiven;
  readonly seals: Seals;
  readonly publicUrl: string | undefined;
};
