import type { NewRunnerJob } from "../../shared/api/enqueue-jobs.ts";
import { secondNs } from "../../shared/duration.ts";
import { planNames } from "../../shared/plans/plan-names.ts";
import type { LargeText } from "../seals/large-text.ts";
import type { NewJob } from "./new-job.ts";

/** A job as a control plane asks for it; its plan is given as the text that was sent. */
export function toNewJob(job: NewRunnerJob, plan: string | LargeText | undefined): NewJob {
  return {
    type: job.type,
    operation: job.operation ?? "exec",
    group: job.group,
    ownerId: job.owner_id,
    ownerType: job.owner_type,
    metadata: job.metadata,
    plan: job.plan === null ? undefined : plan,
    planNames: planNames(job.plan),
    actionTimeoutNs: actionTimeout(job.plan?.["timeout"]),
    queueTimeout: job.queue_timeout,
    availableTimeout: job.available_timeout,
    executionTimeout: job.execution_timeout,
    overallTimeout: job.overall_timeout,
    maxExecutions: job.max_executions,
  };
}

const longestActionNs = 30 * 86_400 * secondNs;

/** An action plan's own timeout, when it says a sensible one. */
function actionTimeout(timeout: unknown): number | undefined {
  if (typeof timeout !== "number" || !Number.isSafeInteger(timeout)) return undefined;
  return timeout > 0 && timeout <= longestActionNs ? timeout : undefined;
}
