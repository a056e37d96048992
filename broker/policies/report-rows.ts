import { type PolicyReport, policyReports } from "../../shared/api/policy-reports.ts";
import type {
  PolicyOutcome,
  PolicyStatus,
  Violation,
} from "../../shared/policies/judge-policies.ts";
import type { PolicyReportOwner } from "../../shared/policies/report-owners.ts";
import { rowsOf } from "../resources/rows-of.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { ReportInput } from "./report-draft.ts";

/** A report as it is stored; in another row its instants are texts. */
export type StoredReport = {
  readonly id: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly owner_type: PolicyReportOwner;
  readonly owner_id: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly component_id: string | null;
  readonly component_name: string;
  readonly install_id: string | null;
  readonly install_name: string | null;
  readonly runner_job_id: string;
  readonly status: PolicyStatus;
  readonly status_description: string;
  readonly inputs: ReportInput[];
  readonly policies: PolicyOutcome[];
  readonly policy_ids: string[];
  readonly violations: Violation[];
  readonly deny_count: number;
  readonly warn_count: number;
  readonly pass_count: number;
  readonly evaluated_at: Date | string;
  readonly created_at: Date | string;
  readonly created_by_id: string;
};

const columns = `r.*, (select o.name from orgs o where o.id = r.org_id) as org_name,
  (select a.name from apps a where a.org_id = r.org_id and a.id = r.app_id) as app_name,
  (select i.name from installs i where i.org_id = r.org_id and i.id = r.install_id) as install_name`;

/** The newest reports of a row that is called so, of a build or a deploy, with their first messages: many stand in one list. */
export const reportsOf = (as: string): string => `(select coalesce(jsonb_agg(to_jsonb(x)
    || jsonb_build_object('violations', jsonb_path_query_array(x.violations, '$[0 to 4]')) order by x.id desc), '[]')
    from (select ${columns} from policy_reports r
           where r.owner_id = ${as}.id and r.org_id = ${as}.org_id order by r.id desc limit 3) x)`;

/** Reports of policies. */
export const reportRows = rowsOf<typeof policyReports, StoredReport>(policyReports, {
  from: ["policy_reports r", "r"],
  boundTo: "policy_reports",
  besides: {
    verdict: "r.status",
    status_word:
      "case r.status when 'pass' then 'success' when 'warn' then 'warning' else 'error' end",
  },
  whole: {
    columns,
    toItem: toReport,
  },
});

/** What a verdict is as the status of a report. */
export const verdictStatus = {
  pass: "success",
  warn: "warning",
  deny: "error",
  error: "error",
} as const;

/** A report as the API shows it. */
export function toReport(row: StoredReport): PolicyReport {
  const { status: verdict, status_description: description } = row;
  const status = verdictStatus[verdict];
  const [at, made] = [new Date(row.evaluated_at), new Date(row.created_at)];
  const { component_id, install_id, install_name, ...same } = row;
  return {
    id: same.id,
    org_id: same.org_id,
    org_name: same.org_name,
    owner_id: same.owner_id,
    owner_type: same.owner_type,
    app_id: same.app_id,
    app_name: same.app_name,
    component_id: component_id ?? "",
    component_name: same.component_name,
    install_id: install_id ?? "",
    install_name: install_name ?? "",
    runner_job_id: same.runner_job_id,
    workflow_step_policy_validation_id: same.id,
    status: toCompositeStatus({ status, description, at }),
    verdict,
    inputs: same.inputs,
    policy_ids: same.policy_ids,
    policies: same.policies,
    violations: same.violations,
    deny_count: same.deny_count,
    warn_count: same.warn_count,
    pass_count: same.pass_count,
    evaluated_at: at.toISOString(),
    created_at: made.toISOString(),
    updated_at: at.toISOString(),
    created_by_id: same.created_by_id,
  };
}
