import type { ConfigReads } from "../../../shared/app-config/config-reads.ts";
import type { ActionConfigPart } from "../../actions/action-plan.ts";
import type { DeployFacts } from "../../deploys/deploy-facts.ts";
import type { DeployPlanTexts } from "../../deploys/deploy-order.ts";
import type { Planned } from "../../deploys/planned/planned.ts";
import type { InstallFacts } from "../../installs/install-facts.ts";
import type { Seals } from "../../seals/seals.ts";
import type { DeployRow } from "../machine/deploy-rows.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";
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

/** A job that planned a deploy, or a run of a sandbox. */
export type PlanningJob = {
  readonly id: string;
  readonly owner: Pick<DeployRow, "component_id" | "component_type">;
};

/** The plan of a job that applies, without its login, as a job of a deploy is drafted with it. */
export type ApplyPlan = Pick<DeployPlanTexts, "type" | "text" | "shown" | "names" | "timeoutNs">;

/** What a step needs to begin, and child processes may have to find: throws `NotKnown` where it is not found yet. */
export type DecisionNeeds = {
  readonly rendered: ReadRendered;
  /** By the approval's id; undefined where no plan is stored. */
  readonly approvedPlan: (approvalId: string) => ApprovedPlan | undefined;
  /** What a planning job has found. */
  readonly planned: (job: PlanningJob) => Planned;
  /** The plan of the job that carries out exactly that. */
  readonly applyPlan: (job: PlanningJob) => ApplyPlan | CompositeFault;
  /** In which order what a config has is deployed. */
  readonly readsOf: (configId: string) => ConfigReads;
  /** What a job that ended well told, by the job's id. */
  readonly outputsOf: (jobId: string) => Readonly<Record<string, unknown>>;
};

/** What the begin of a step may need. */
export type NeedsToBegin = Omit<DecisionNeeds, "outputsOf">;

/** What kinds of steps know besides the workflow. */
export type KindEnvironment = DecisionNeeds & {
  readonly facts: InstallFacts;
  /** What is deployed of it; undefined where its workflow deploys nothing. */
  readonly deploys: DeployFacts | undefined;
  readonly given: WorkflowGiven;
  readonly seals: Seals;
  readonly publicUrl: string | undefined;
};
