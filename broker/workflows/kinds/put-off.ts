import { faultOf, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";
import { moveDeploy, type OfDeploy } from "./keep-deploy.ts";

/** How long a deploy waits for a build that runs, and then for others that work on the same. */
export const patienceMs = 24 * 3_600_000;

type Wait = { readonly description: string; readonly orElse?: CompositeFault };

const forBuild = "it waits for the build ";

/** The wait for a build that runs. */
export const waitForBuild = (id: string): Wait => ({ description: `${forBuild}${id}` });

/** The wait for another workflow that works on the same. */
export const waitForOthers: Wait = {
  description: "another workflow works on it: it waits for that",
};

/** The deploy is looked at again when what it waits for has ended. Who waited for a build has a day again for what comes after it. */
export function putOff(
  draft: WorkflowDraft,
  of: OfDeploy,
  { description, orElse = nobodyEnded }: Wait,
): StepOutcome {
  const { step, deploy } = of;
  const wasForBuild = step.status_description.startsWith(forBuild);
  if (wasForBuild && !description.startsWith(forBuild)) step.deadline_at = draft.after(patienceMs);
  step.status_description = description;
  if (deploy.status !== "queued" || deploy.status_description !== description)
    moveDeploy(draft, of, { status: "queued", description });
  return { kind: "wait", orElse };
}

const nobodyEnded: CompositeFault = faultOf(
  "build_unavailable",
  "It waited for a day",
  "What it waited for did not end within a day. Look at that, then retry.",
);
