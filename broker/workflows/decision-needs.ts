import type { Broker } from "../broker.ts";
import { PlannedJobs } from "../deploys/planned-jobs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { ApprovedPlans } from "./approved-plans.ts";
import type { NeedsToBegin } from "./kinds/kind-environment.ts";
import { Renders } from "./renders.ts";

/** What one move of a workflow needs, found as it is asked for, once. Hold no permit for the database meanwhile. */
export const foundWhenNeeded = (
  broker: Pick<Broker, "db" | "seals" | "work" | "render" | "largeReads">,
  org: OrgId,
): NeedsToBegin => ({
  rendered: new Renders(broker.render, org).read,
  approvedPlan: new ApprovedPlans(broker, org).read,
  ...plannedBy(new PlannedJobs(broker, org)),
});

const plannedBy = ({ planned, applyPlan, readsOf }: PlannedJobs) => ({
  planned,
  applyPlan,
  readsOf,
});

/** What a decision for a request needs, which is nothing: it begins no step, and so never waits for child processes, nor is refused by their pool. */
export const neededByNone: NeedsToBegin = {
  rendered: beginsNothing,
  approvedPlan: beginsNothing,
  planned: beginsNothing,
  applyPlan: beginsNothing,
  readsOf: beginsNothing,
};

function beginsNothing(): never {
  throw new Error("a request moves a workflow, and begins none of its steps");
}
