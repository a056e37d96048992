import type { WorkflowDraft } from "../../../broker/workflows/machine/workflow-draft.ts";
import type { Step } from "../../../broker/workflows/machine/workflow-rows.ts";

/** The status of its place in the lane, as the database has it after the write. */
export function placeAfter({ placeMove, newSignalId, snapshot }: WorkflowDraft): string | null {
  if (newSignalId !== undefined) return "queued";
  if (placeMove === undefined) return snapshot.signal_status;
  return placeMove === "yield" ? "retrying" : "queued";
}

/** Steps that began though the workflow had no place in its lane. */
export function begunOutside({ snapshot, steps }: WorkflowDraft): string[] {
  if (snapshot.signal_status === "in-flight") return [];
  const hasBegun = (step: Step | undefined) => step !== undefined && step.started_at !== null;
  return steps
    .filter((step) => hasBegun(step) && !hasBegun(snapshot.steps.find(({ id }) => id === step.id)))
    .map(({ id }) => id);
}
