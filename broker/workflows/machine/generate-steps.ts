import type { Machine, PlannedStep } from "./step-kind.ts";
import type { WorkflowDraft } from "./workflow-draft.ts";
import type { CompositeFault, Step } from "./workflow-rows.ts";

/** Writes the groups and steps of a workflow that has none; answers why there can be none. */
export function generateSteps(draft: WorkflowDraft, machine: Machine): CompositeFault | undefined {
  const planned = machine.generate(draft);
  if ("code" in planned) return planned;
  let idx = 0;
  planned.forEach(({ name, parallel = false, steps }, at) => {
    const id = draft.newId("wsg");
    draft.groups.push({
      id,
      name,
      group_idx: at,
      group_retry_idx: 0,
      parallel,
      result_directive: null,
      created_at: draft.now,
    });
    draft.steps.push(...steps.map((step) => stepRow(draft, { step, idx: idx++, groupId: id })));
  });
  return undefined;
}

function stepRow(
  draft: WorkflowDraft,
  {
    step,
    idx,
    groupId,
  }: { readonly step: PlannedStep; readonly idx: number; readonly groupId: string },
): Step {
  const { kind, name, params = {}, execution_type = "system", target_type, target_id } = step;
  return {
    id: draft.newId("stp"),
    group_id: groupId,
    idx,
    retry_index: 0,
    kind,
    name,
    params,
    execution_type,
    status: "pending",
    status_description: "",
    status_at: draft.now,
    result_directive: null,
    target_type,
    target_id,
    job_id: null,
    job_idx: 0,
    error: null,
    is_retried: false,
    is_told: false,
    deadline_at: null,
    created_at: draft.now,
    started_at: null,
    finished_at: null,
  };
}
