import { hiddenValue } from "../../shared/hidden-value.ts";
import { findShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ApplyPlan, PlanningJob } from "../workflows/kinds/kind-environment.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import { jobTypeOf } from "./job-type-of.ts";
import { findApplyPlan, NotApplicable } from "./planned/apply-plan.ts";
import type { PlannedParts } from "./planned/read-job-texts.ts";

/** The plan of the job that carries out exactly what another planned, with what is drafted beside it; or why there is none. */
export async function findApply(
  parts: PlannedParts,
  org: OrgId,
  { id: jobId, owner }: PlanningJob,
): Promise<ApplyPlan | CompositeFault> {
  const type = jobTypeOf(owner);
  try {
    const text = await findApplyPlan(parts, org, { jobId, type });
    const [planned] = await parts.db<{ names: string[] | null; execution_timeout: string }[]>`
      select p.names, j.execution_timeout
        from runner_jobs j join runner_job_plans p on p.runner_job_id = j.id
       where j.org_id = ${org} and j.id = ${jobId}`;
    if (planned === undefined) throw new Error(`the job ${jobId} is gone`);
    const shown = (await findShownPlan(parts, org, jobId)) ?? JSON.stringify(hiddenValue);
    return {
      type,
      text,
      shown,
      names: planned.names ?? [],
      timeoutNs: Number(planned.execution_timeout),
    };
  } catch (error) {
    if (!(error instanceof NotApplicable)) throw error;
    return faultOf("plan_unusable", "The plan cannot be applied", error.message);
  }
}
