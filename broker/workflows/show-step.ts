import type { StepPolicyValidation, WholeStep } from "../../shared/api/whole-step.ts";
import type { ShownStep } from "../../shared/api/workflow.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { showWork, type WorkParts } from "../jobs/show-work.ts";
import { logStreamOf } from "../logs/store/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { reportRows } from "../policies/report-rows.ts";
import { requireSnapshot } from "./show-workflow.ts";
import { toSteps } from "./to-workflow.ts";

/** A step with its log and what policies said of what it works on; 404 without it. */
export async function showStep(
  parts: WorkParts,
  org: OrgId,
  { id, stepId }: { readonly id: string; readonly stepId: string },
): Promise<WholeStep> {
  const steps = toSteps(await requireSnapshot(parts.db, org, id));
  const step = steps.find((one) => one.id === stepId);
  if (step === undefined) throw problem.notFound("workflow step");
  const logStreamId = step.runner_job_id === null ? null : logStreamOf(step.runner_job_id);
  const [{ log_stream }, validation] = await Promise.all([
    showWork(parts, org, { jobs: [], logStreamId }),
    validationOf(parts.db, org, step),
  ]);
  return {
    ...step,
    ...(log_stream && { log_stream }),
    ...(validation && { policy_validation: validation }),
  };
}

/** The newest report of the step's job. */
async function validationOf(
  db: Db,
  org: OrgId,
  { id, step_target_id: owner_id, runner_job_id }: ShownStep,
): Promise<StepPolicyValidation | undefined> {
  if (runner_job_id === null) return undefined;
  const page = { after: undefined, limit: 20, offset: 0 };
  const rows = await reportRows.list(db, org, { params: {}, filter: { owner_id }, ...page });
  const report = rows.find((row) => row.runner_job_id === runner_job_id);
  if (report === undefined) return undefined;
  const { status, created_at, updated_at, created_by_id } = reportRows.toItem(report);
  const response = report.status_description;
  const made = { created_at, updated_at, created_by_id };
  return { id: report.id, install_workflow_step_id: id, runner_job_id, status, response, ...made };
}
