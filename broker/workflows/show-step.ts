import type { StepPolicyValidation, WholeStep } from "../../shared/api/whole-step.ts";
import type { ShownStep } from "../../shared/api/workflow.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { findRoleUsages } from "../install-roles/find-role-usages.ts";
import { mayRead, type Reader, showWork, type WorkParts } from "../jobs/show-work.ts";
import { logStreamOf } from "../logs/store/row.ts";
import { findJudged } from "../policies/find-judged.ts";
import { requireSnapshot } from "./show-workflow.ts";
import { toSteps } from "./to-workflow.ts";

/** A step with its log and what policies said of what it works on; 404 without it. */
export async function showStep(
  parts: WorkParts,
  by: Reader,
  { id, stepId }: { readonly id: string; readonly stepId: string },
): Promise<WholeStep> {
  const { orgId: org } = by;
  const steps = toSteps(await requireSnapshot(parts.db, org, id));
  const step = steps.find((one) => one.id === stepId);
  if (step === undefined) throw problem.notFound("workflow step");
  const logStreamId = step.runner_job_id === null ? null : logStreamOf(step.runner_job_id);
  const jobId = step.runner_job_id;
  const [{ log_stream }, validation, usages] = await Promise.all([
    showWork(parts, by, { jobs: [], logStreamId }),
    mayRead(by, "apps.read") ? validationOf(parts.db, by, step) : undefined,
    mayRead(by, "installs.read") ? findRoleUsages(parts.db, org, [jobId]) : undefined,
  ]);
  const usage = jobId === null ? undefined : usages?.get(jobId);
  return {
    ...step,
    ...(usage && { install_role_usage: usage }),
    ...(log_stream && { log_stream }),
    ...(validation && { policy_validation: validation }),
  };
}

/** The newest report of the step's job. */
async function validationOf(
  db: Db,
  { orgId: org, bound }: Reader,
  { id, step_target_id: owner_id, runner_job_id }: ShownStep,
): Promise<StepPolicyValidation | undefined> {
  if (runner_job_id === null) return undefined;
  const report = await findJudged(db, org, { owner: owner_id, jobId: runner_job_id, bound });
  if (report === undefined) return undefined;
  return { ...report, install_workflow_step_id: id, runner_job_id };
}
