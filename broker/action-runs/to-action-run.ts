import type { z } from "zod";
import type { ActionRun, ActionRunStep, ActionStepConfig } from "../../shared/api/action-runs.ts";
import type { actionPlan } from "../../shared/plans/action-plan.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { JobInScope } from "../plan-scope/jobs-in-scope.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { ActionRunStepRow } from "./row.ts";

export type ActionPlan = z.infer<typeof actionPlan>;
type SaidStep = Pick<ActionRunStepRow, "step_id" | "status" | "execution_duration">;
type PlanStep = NonNullable<ActionPlan["steps"]>[number];

const runStatuses: Partial<Record<RunnerJobStatus, ActionRun["status"]>> = {
  finished: "finished",
  failed: "error",
  "timed-out": "timed-out",
  "not-attempted": "cancelled",
  cancelled: "cancelled",
};

/** The run of an action as its job's plan and what was said of its steps tell it. */
export function toActionRun(
  org: string,
  { job, plan }: { readonly job: JobInScope; readonly plan: ActionPlan },
  said: readonly SaidStep[],
): ActionRun {
  const status = runStatuses[job.status] ?? "in-progress";
  const description = job.status_description;
  return {
    id: plan.id ?? "",
    org_id: org,
    install_id: plan.install_id ?? "",
    install_action_workflow_id: "",
    action_workflow_config_id: "", // so that clients take each step's adhoc_config
    status,
    status_description: description,
    status_v2: toCompositeStatus({ status, description, at: job.status_at }),
    timeout: plan.timeout ?? 0,
    run_env_vars: plan.override_env_vars ?? {},
    runner_job_id: job.id,
    steps: (plan.steps ?? []).map((step, idx) => toRunStep(plan, { step, idx }, said)),
  };
}

/** What a step does, as clients know it. */
export function toStepConfig(step: PlanStep, idx: number, configId = ""): ActionStepConfig {
  const { name } = step;
  return {
    id: step.run_id ?? "",
    action_workflow_config_id: configId,
    name: typeof name === "string" ? name : (step.attrs?.["name"] ?? `step ${idx + 1}`),
    idx,
    command: step.interpolated_command ?? "",
    inline_contents: step.interpolated_inline_contents ?? "",
    env_vars: step.interpolated_env_vars ?? {},
  };
}

function toRunStep(
  plan: ActionPlan,
  { step, idx }: { readonly step: PlanStep; readonly idx: number },
  said: readonly SaidStep[],
): ActionRunStep {
  const last = said.find(({ step_id }) => step_id === step.run_id);
  return {
    id: step.run_id ?? "",
    install_action_workflow_run_id: plan.id ?? "",
    step_id: "",
    adhoc_config: toStepConfig(step, idx),
    status: last?.status ?? "pending",
    execution_duration: last?.execution_duration ?? 0,
  };
}
