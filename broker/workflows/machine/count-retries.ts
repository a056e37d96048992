import type { WorkflowDraft } from "./workflow-draft.ts";
import type { Step } from "./workflow-rows.ts";

/** How often this one failed and was tried again. New plans that somebody asked for, and resumes, are no retries. */
export const countRetries = ({ steps }: Pick<WorkflowDraft, "steps">, { idx }: Step): number =>
  steps.filter(
    ({ idx: at, status, result_directive: said }) =>
      at === idx && status === "error" && (said === "retry" || said === "retry-group"),
  ).length;
