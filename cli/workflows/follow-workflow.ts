import { bePatient } from "../../client/waits/be-patient.ts";
import { lookUntil } from "../../client/waits/look-until.ts";
import type { ShownStep, WholeWorkflow } from "../../shared/api/workflow.ts";
import { getWorkflowRoute } from "../../shared/api/workflows.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Screen } from "../output/screen.ts";
import { stepLine, workflowLines } from "./workflow-view.ts";

type Speaking = Pick<CommandCall, "call" | "screen">;

/** Somebody who looks at a workflow from time to time, and tells each move once. */
export type Watch = {
  /** Waits until it is as it is wanted, or has finished. */
  readonly until: (isWanted: (workflow: WholeWorkflow) => boolean) => Promise<WholeWorkflow>;
};

/**
 * Follows a workflow until it has finished: on a terminal its steps in place, in a pipe a line for each that moves. Says what to do
 * where it waits for somebody. Answers the exit code: 0 only where it succeeded.
 */
export async function followWorkflow(speaking: Speaking, id: string): Promise<number> {
  const workflow = await watchWorkflow(speaking, id).until(() => false);
  tellEnd(speaking.screen, workflow);
  return workflow.status.status === "success" ? exitCodes.ok.code : exitCodes.failed.code;
}

/** Says how a workflow is now, after all its steps on a terminal. */
export function tellEnd(screen: Screen, workflow: WholeWorkflow): void {
  const [, ...steps] = screen.status === undefined ? [] : workflowLines(workflow);
  for (const line of steps) screen.say(line);
  const { status, status_human_description: why } = workflow.status;
  screen.say(`${workflow.name}: ${status}${why === "" ? "" : `, ${why}`}`);
}

/** A watch of one workflow, which tells as followWorkflow does. */
export function watchWorkflow({ call, screen }: Speaking, id: string): Watch {
  const told = new Map<string, string>();
  let saidFor = "";

  async function until(isWanted: (workflow: WholeWorkflow) => boolean): Promise<WholeWorkflow> {
    try {
      return await lookUntil({
        look: async () => await bePatient(look),
        onLook: tell,
        isWanted: (workflow) => workflow.finished || isWanted(workflow),
      });
    } finally {
      screen.status?.(undefined);
    }
  }

  async function look(): Promise<WholeWorkflow> {
    return (await call(getWorkflowRoute, { params: { workflow_id: id } })).body;
  }

  function tell(workflow: WholeWorkflow): void {
    if (screen.status === undefined) tellMoves(workflow);
    else screen.status(workflowLines(workflow));
    if (!workflow.finished) sayWhatToDo(workflow);
  }

  function tellMoves({ steps }: WholeWorkflow): void {
    for (const step of steps) {
      const { status, status_human_description: why } = step.status;
      const move = `${status}: ${why}`; // how long it has taken is no news
      if (status !== "pending" && told.get(step.id) !== move) screen.say(stepLine(step));
      told.set(step.id, move);
    }
  }

  function sayWhatToDo(workflow: WholeWorkflow): void {
    const words = todoOf(workflow);
    if (words === saidFor) return;
    saidFor = words;
    if (words !== "") screen.say(words);
  }

  return { until };
}

function todoOf({ id, status: { status }, steps }: WholeWorkflow): string {
  const at = (wanted: string): ShownStep | undefined =>
    steps.find((step) => step.status.status === wanted);
  const asking = at("approval-awaiting"); // none where it was answered a moment ago
  if (status === "approval-awaiting")
    return asking === undefined
      ? ""
      : `It waits for an approval of ${asking.name}: svc workflow approve ${id}, or deny`;
  if (status === "failed-pending-retry")
    return `${at("failed-pending-retry")?.name ?? "A step"} failed: svc workflow retry ${id}, or skip, or cancel`;
  const waits = steps.find(
    (step) => step.status.status === "in-progress" && step.runner_job_id === null,
  );
  return waits?.status.status_human_description ?? "";
}
