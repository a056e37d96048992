import { faultOf, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { BuildRow, Step } from "../machine/workflow-rows.ts";

const lookAgainMs = 30_000;

/**
 * What becomes of a build whose artifact may be taken away until an instant, or nobody knows yet until when: it waits, and is made again
 * after it. One time is enough then: nothing is deleted of a component of which a build is open.
 */
export function afterDeletions(
  draft: WorkflowDraft,
  { step, build }: { readonly step: Step; readonly build: BuildRow },
  end: string | null,
): StepOutcome {
  if (end !== null && draft.isPast(end)) return { kind: "fault", fault: madeInVain };
  step.status_description =
    "an older artifact, which it needs, is being deleted: it is built again when that is over";
  build.status_description = step.status_description;
  if (end !== null) step.deadline_at = end;
  else if (step.deadline_at === null || draft.isPast(step.deadline_at))
    step.deadline_at = draft.after(lookAgainMs);
  return { kind: "wait" };
}

const madeInVain = faultOf(
  "job_failed",
  "The artifact may be gone",
  "While it was built an older artifact was being deleted from the registry, which may be the same, or a part of it. It is built again.",
);
