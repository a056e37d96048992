import { isFinishedWorkflow } from "../../../shared/workflow.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";

/** Lanes in which one that waits for a person gives its place back. In `changes` it keeps it: a change half done is passed by none. */
const sharedLanes: readonly string[] = ["plans", "actions"];
const waitsAgain = "Waiting for a place in its lane to continue.";

/**
 * Whether steps may begin. A workflow that gave its place back takes one again, before those filed after it, and goes on when it has
 * it: whoever waits for the place wakes it.
 */
export function takesPlace(draft: WorkflowDraft): boolean {
  const { signal_status: place } = draft.snapshot;
  if (place === "retrying") draft.placeMove = "requeue";
  return place === "in-flight";
}

/** Says of one that goes on, but has no place yet, what it waits for. */
export function tellPlace({ workflow, snapshot }: WorkflowDraft): void {
  if (workflow.status !== "in-progress") return;
  if (snapshot.signal_status !== "in-flight") workflow.status_description = waitsAgain;
  else if (workflow.status_description === waitsAgain) workflow.status_description = "";
}

/** Gives the place back where nothing goes on before a person has acted. A place that is shared with children stays. */
export function yieldPlace(draft: WorkflowDraft): void {
  const { workflow, snapshot } = draft;
  if (!sharedLanes.includes(snapshot.lane) || snapshot.signal_status !== "in-flight") return;
  if (workflow.shares_place || snapshot.children.some(({ status }) => !isFinishedWorkflow(status)))
    return;
  if (workflow.status === "failed-pending-retry" || waitsForApprovalsOnly(draft))
    draft.placeMove = "yield";
}

const waitsForApprovalsOnly = ({ workflow, steps }: WorkflowDraft): boolean =>
  workflow.status === "approval-awaiting" &&
  steps.every(
    ({ status, deadline_at: until }) =>
      status !== "in-progress" &&
      status !== "checking-plan" &&
      (status !== "pending" || until === null), // its back-off ends by itself
  );

/** Whether others of its lane cannot begin because of it. */
export const keepsPlace = ({ snapshot, placeMove }: WorkflowDraft): boolean =>
  snapshot.signal_status === "in-flight" && placeMove !== "yield";
