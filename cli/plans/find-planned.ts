import { getJobPlanRoute, getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { showPlan } from "./make-plan.ts";
import type { MadePlan, PlanKind, PlanOperation, Terminal } from "./plan-kind.ts";
import { readJobResult } from "./run-plan-job.ts";

/** Which plan is applied: of this job, by this command. */
type Wanted = { readonly jobId: string; readonly verb: string };

/** The plan of a job that has planned, shown; a UsageError for a job that has none to be applied by this command. */
export async function findPlanned(
  at: Terminal,
  kind: PlanKind,
  { jobId, verb }: Wanted,
): Promise<MadePlan> {
  const params = { job_id: jobId };
  const { body: job } = await at.call(getJobRoute, { params });
  const operation = operationOf(kind, job);
  const { [operation]: meant } = kind.appliesBy;
  if (meant !== verb) {
    throw new UsageError(
      `${jobId} has planned something else than svc ${kind.noun} ${verb} does.`,
      `Apply it: svc ${kind.noun} ${meant} --job ${jobId}`,
    );
  }
  if (job.status !== "finished") {
    throw new UsageError(`${jobId} is ${job.status}: it has no plan to be applied.`);
  }
  const plan = await at.call(getJobPlanRoute, { params });
  if (plan.headers.get("x-svc-plan") === "masked") {
    throw new UsageError(
      "The plan's secrets are hidden from this token, which lacks the permission plans.secrets: it cannot have it applied.",
    );
  }
  const planned = await kind.readPlanned(jobId, await readJobResult(at, job));
  showPlan(at.screen, planned);
  const { owner_id: ownerId, runner_id: runnerId } = job;
  const draft = { runnerId, operation, ownerId, planText: plan.text, told: {} };
  return { kind, job, draft, planned, code: exitCodes.ok.code };
}

function operationOf(
  { type, plansBy, appliesBy }: PlanKind,
  job: Pick<RunnerJob, "id" | "type" | "operation">,
): PlanOperation {
  if (job.type === type && Object.hasOwn(appliesBy, job.operation)) {
    return job.operation as PlanOperation; // one that plans
  }
  throw new UsageError(
    `${job.id} is a job of ${job.type}, ${job.operation}: only what ${plansBy} made can be applied here.`,
  );
}
