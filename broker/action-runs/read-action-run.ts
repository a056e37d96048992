import type {
  ActionConfig,
  ActionRun,
  ActionRunStep,
  ActionStepStatus,
} from "../../shared/api/action-runs.ts";
import { actionPlan } from "../../shared/plans/action-plan.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { PlanReader } from "../jobs/guard-plans.ts";
import { type JobInScope, jobsInScope } from "../plan-scope/jobs-in-scope.ts";
import { requireOwnState } from "../plan-scope/require-own-state.ts";
import type { Seals } from "../seals/seals.ts";
import { listRunSteps, writeRunStep } from "./queries.ts";
import { type ActionPlan, toActionRun, toStepConfig } from "./to-action-run.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Run = { readonly installId: string; readonly runId: string };
type PlannedRun = { readonly job: JobInScope; readonly plan: ActionPlan };

/** The run of an action that one of the runner's jobs is or just was; 404 for any other, 403 for one of an install whose own runner this is not. */
export async function readActionRun(parts: Parts, actor: PlanReader, run: Run): Promise<ActionRun> {
  const found = await requireRun(parts, actor, run);
  return toActionRun(actor.orgId, found, await listRunSteps(parts.db, found.job.id));
}

/** The config that such a job's plan names; 404 for any other. */
export async function readActionConfig(
  parts: Parts,
  actor: PlanReader,
  configId: string,
): Promise<ActionConfig> {
  const found = await findPlan(parts, actor, {
    name: configId,
    isIt: (plan) =>
      plan["action_workflow_config_id"] === configId ||
      plan.attrs?.["action_workflow_config_id"] === configId,
  });
  if (found === undefined) throw problem.notFound("action workflow config");
  const { plan } = found;
  const steps = (plan.steps ?? []).map((step, idx) => toStepConfig(step, idx, configId));
  return {
    id: configId,
    action_workflow_id: workflowIdOf(plan),
    timeout: plan.timeout ?? 0,
    steps,
  };
}

/** Where a plan names its config, it may name the action beside it. */
function workflowIdOf(plan: ActionPlan): string {
  const own = plan["action_workflow_id"];
  return typeof own === "string" ? own : (plan.attrs?.["action_workflow_id"] ?? "");
}

/** Keeps what a runner says of a step; 404 for a step of no run of its own. */
export async function reportRunStep(
  parts: Parts,
  actor: PlanReader,
  said: Run & {
    readonly stepId: string;
    readonly status: ActionStepStatus;
    readonly executionDuration: number;
  },
): Promise<ActionRunStep> {
  const found = await requireRun(parts, actor, said);
  const idx = (found.plan.steps ?? []).findIndex(({ run_id }) => run_id === said.stepId);
  if (idx < 0) throw problem.notFound("action run step");
  const row = {
    org_id: actor.orgId,
    runner_job_id: found.job.id,
    step_id: said.stepId,
    status: said.status,
    execution_duration: said.executionDuration,
  };
  await writeRunStep(parts.db, row);
  const [step] = toActionRun(actor.orgId, found, [row]).steps.slice(idx);
  if (step === undefined) throw problem.notFound("action run step");
  return step;
}

async function requireRun(
  parts: Parts,
  actor: PlanReader,
  { installId, runId }: Run,
): Promise<PlannedRun> {
  const isIt = (plan: ActionPlan): boolean => plan.id === runId && plan.install_id === installId;
  const found = await findPlan(parts, actor, { name: runId, isIt });
  if (found === undefined) throw problem.notFound("action run");
  const { runner_id: runnerId } = found.job;
  await requireOwnState(parts.db, actor.orgId, { runnerId, names: [runId] });
  return found;
}

async function findPlan(
  parts: Parts,
  actor: PlanReader,
  { name, isIt }: { readonly name: string; readonly isIt: (plan: ActionPlan) => boolean },
): Promise<PlannedRun | undefined> {
  for await (const job of jobsInScope(parts, actor, { name })) {
    const { success, data: plan } = actionPlan.safeParse(JSON.parse(job.plan));
    if (success && isIt(plan)) return { job, plan };
  }
  return undefined;
}
