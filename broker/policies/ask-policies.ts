import type { PolicyReportOwner } from "../../shared/policies/report-owners.ts";
import { faultOf, type StepOutcome } from "../workflows/machine/step-kind.ts";
import type { WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { CompositeFault, Step } from "../workflows/machine/workflow-rows.ts";

/** Brokers that can evaluate are looked for so long. */
const patienceMs = 60 * 60_000;

/** What a job has made, and whose policies judge it. */
type Judged = {
  readonly step: Step;
  readonly owner: { readonly type: PolicyReportOwner; readonly id: string };
  readonly policies: readonly unknown[];
  readonly jobId: string;
};

/**
 * What policies say of what a job has made. They are asked where they were not, by a task of their own: until they have answered the step
 * waits.
 */
export function askPolicies(
  draft: WorkflowDraft,
  { step, owner, policies, jobId }: Judged,
): StepOutcome {
  if (policies.length === 0) return { kind: "done" };
  const check = draft.snapshot.policy_checks.find(
    (one) => one.owner_id === owner.id && one.runner_job_id === jobId,
  );
  if (check?.status === "pass") return { kind: "done" };
  const report = check?.report_id ?? "";
  if (check?.status === "warn")
    return { kind: "done", warning: `its policies warn: see the report ${report}` };
  if (check?.status === "deny")
    return faultBy(report, "policy_denied", "A policy denies it", check.detail);
  if (check?.status === "error")
    return faultBy(report, "policy_unavailable", "A policy cannot be evaluated", check.detail);
  step.status_description = "its policies are evaluated";
  if (check === undefined) {
    step.deadline_at = draft.after(patienceMs);
    draft.newEvaluations.push({
      owner_type: owner.type,
      owner_id: owner.id,
      runner_job_id: jobId,
    });
  }
  return { kind: "wait", orElse: nobodyEvaluated };
}

const nobodyEvaluated = faultOf(
  "policy_unavailable",
  "The policies were not evaluated",
  "No broker evaluated its policies within an hour. Look at the logs of the brokers, then try again.",
);

function faultBy(
  report: string,
  code: "policy_denied" | "policy_unavailable",
  title: string,
  detail: string,
): StepOutcome {
  const fault: CompositeFault = {
    ...faultOf(code, title, detail, { retryable: code === "policy_unavailable" }),
    facts: { policy_report_id: report },
  };
  return { kind: "fault", fault };
}
