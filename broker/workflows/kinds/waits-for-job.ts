import { isFinal } from "../../../shared/runner-job.ts";
import type { Step, StepJob } from "../machine/workflow-rows.ts";

/** Whether the step's job may still do something; says what it waits for. */
export function waitsForJob(step: Step, { status, is_stopping: isStopping }: StepJob): boolean {
  if (isFinal(status) && !isStopping) return false;
  step.status_description = isFinal(status) ? "its job has ended, and is being stopped" : "";
  return true;
}
