import type { BuildFacts } from "../../builds/build-facts.ts";
import type { StepJob } from "../machine/workflow-rows.ts";

/** Why nothing of the job is seen yet. */
export function waitingWords({ runner }: BuildFacts, { status }: StepJob): string {
  const isWaiting = status === "queued" || status === "available";
  if (!isWaiting || runner?.has_process === true) return "";
  return `it waits for a process of the org's runner${runner === undefined ? "" : ` ${runner.id}`}: start its agent`;
}
