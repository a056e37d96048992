/** Why something of the control plane failed, for programs: every code that a broker writes into a `composite_error`. */
export const faultCodes = [
  "missing_value",
  "render_failed",
  "build_unavailable",
  "cluster_missing",
  "job_failed",
  "job_timed_out",
  "process_lost",
  "plan_changed",
  "plan_unusable",
  "still_in_use",
  "policy_denied",
  "policy_unavailable",
  "permission_missing",
  "role_unavailable",
  "runner_unavailable",
  "runner_outdated",
  "approval_denied",
  "approval_expired",
  "step_cancelled",
  "child_failed",
  "image_unsupported",
  "repo_unsupported",
  "internal",
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** Whether it is one of these: a runner may write any word. */
export const isFaultCode = (code: unknown): code is FaultCode =>
  faultCodes.some((one) => one === code);
