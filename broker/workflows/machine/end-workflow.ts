import { isEndedDeploy } from "../../../shared/deploy-statuses.ts";
import type { Machine } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { CompositeFault, Run, Step } from "./workflow-rows.ts";

type End = {
  readonly event: "succeed" | "fail" | "stall" | "give-up" | "cancel";
  readonly why: string;
  readonly fault?: CompositeFault | undefined;
};

const told = {
  succeed: "succeeded",
  fail: "failed",
  stall: "failed",
  cancel: "cancelled",
} as const;
const runEnds = { succeed: "success", fail: "error", stall: "error", cancel: "cancelled" } as const;

/** Ends a workflow, or the run of one that waits for somebody to retry it: what did not begin is not attempted. */
export function endWorkflow(
  draft: WorkflowDraft,
  machine: Machine,
  { event, why, fault }: End,
): void {
  const { workflow, run } = draft;
  const isRunOpen = run.status === "in-progress";
  if (event !== "stall") closePending(draft);
  draft.moveWorkflow(event, why);
  if (fault !== undefined) workflow.error = fault;
  if (event === "succeed") workflow.error = null;
  if (event !== "give-up") endRun(draft, run, runEnds[event]);
  if (event !== "stall") {
    workflow.finished_at = draft.now;
    machine.ended(draft);
  }
  if (!isRunOpen || event === "give-up") return;
  draft.tellWorkflow({ transition: told[event], startedAt: run.started_at, error: why });
}

/** Ends a workflow that waits for somebody to retry a step, and whose failure was told. */
export function giveUp(draft: WorkflowDraft, machine: Machine, why: string): void {
  failStalled(draft, draft.steps);
  endWorkflow(draft, machine, { event: "give-up", why });
}

/** Steps that failed, and that nobody will retry any more. */
export function failStalled(draft: WorkflowDraft, steps: readonly Step[]): void {
  for (const step of steps.filter(({ status }) => status === "failed-pending-retry"))
    draft.moveStep(step, "fail", { description: step.status_description, directive: "stop" });
}

function endRun(draft: WorkflowDraft, run: Run, status: Run["status"]): void {
  if (run.status === "in-progress" || run.status === "pending")
    Object.assign(run, { status, finished_at: draft.now });
}

/** Steps that have not begun, of groups that nobody goes on with. */
function closePending(draft: WorkflowDraft): void {
  for (const step of draft.steps.filter(({ status }) => status === "pending")) {
    draft.moveStep(step, "leave");
    step.finished_at = draft.now;
  }
  for (const run of draft.actionRuns.filter(({ status }) => status === "queued"))
    Object.assign(run, { status: "cancelled", status_at: draft.now, finished_at: draft.now });
  for (const deploy of draft.deploys.filter(({ status }) => !isEndedDeploy(status)))
    Object.assign(deploy, { status: "cancelled", status_at: draft.now, finished_at: draft.now });
  for (const build of draft.builds.filter(({ status }) => status === "planning"))
    Object.assign(build, { status: "cancelled", status_at: draft.now, finished_at: draft.now });
}
