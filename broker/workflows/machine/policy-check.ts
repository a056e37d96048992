import type { PolicyStatus } from "../../../shared/policies/judge-policies.ts";
import type { PolicyReportOwner } from "../../../shared/policies/report-owners.ts";

/** What policies are to judge: what a job told, of its owner. */
export type EvaluationDraft = {
  readonly owner_type: PolicyReportOwner;
  readonly owner_id: string;
  readonly runner_job_id: string;
};

/** How policies stand for that: they are asked, or have said so. */
export type PolicyCheck = Omit<EvaluationDraft, "owner_type"> & {
  readonly status: "pending" | PolicyStatus;
  readonly detail: string;
  readonly report_id: string | null;
};
