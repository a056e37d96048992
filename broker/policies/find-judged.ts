import type { StepPolicyValidation } from "../../shared/api/whole-step.ts";
import type { PolicyStatus } from "../../shared/policies/judge-policies.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import { verdictStatus } from "./report-rows.ts";

type Of = { readonly owner: string; readonly jobId: string; readonly bound: Bound | null };
type Judged = {
  readonly id: string;
  readonly status: PolicyStatus;
  readonly status_description: string;
  readonly evaluated_at: Date;
  readonly created_at: Date;
  readonly created_by_id: string;
};

/** What policies said of the result of a job, without their messages, which its report has. */
export async function findJudged(
  db: Db,
  org: OrgId,
  { owner, jobId, bound }: Of,
): Promise<Omit<StepPolicyValidation, "install_workflow_step_id" | "runner_job_id"> | undefined> {
  const [row] = await db<Judged[]>`
    select r.id, r.status, r.status_description, r.evaluated_at, r.created_at, r.created_by_id
      from policy_reports r
     where r.owner_id = ${owner} and r.org_id = ${org} and r.runner_job_id = ${jobId}
       ${boundTo(db, "policy_reports", bound)}
     order by r.id desc limit 1`;
  if (row === undefined) return undefined;
  const { id, status_description: response, evaluated_at: at, created_at, created_by_id } = row;
  return {
    id,
    status: toCompositeStatus({ status: verdictStatus[row.status], description: response, at }),
    response,
    created_at: created_at.toISOString(),
    updated_at: at.toISOString(),
    created_by_id,
  };
}
