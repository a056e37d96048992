import { isFaultCode } from "../../../shared/fault-codes.ts";
import { faultOf, type StepOutcome } from "../machine/step-kind.ts";
import type { CompositeFault, StepJob } from "../machine/workflow-rows.ts";
import { missingPermission } from "./missing-permission.ts";

/** What the end of a step's job means for the step. */
export function jobOutcome(job: StepJob): StepOutcome {
  if (job.status === "finished") return { kind: "done" };
  if (job.status === "cancelled" && job.clock === null)
    return { kind: "cancelled", detail: job.status_description || "its job was cancelled" };
  const isTimeout = job.status === "timed-out" || job.clock !== null;
  return {
    kind: "fault",
    fault: faultOfJob(job, isTimeout),
    ...(isTimeout && { isTimeout: true }),
  };
}

/** Permission faults, and what else the job says of itself, in the words of its own error. */
function faultOfJob(job: StepJob, isTimeout: boolean): CompositeFault {
  const { code: told, type, title, detail, retryable } = job.composite_error ?? {};
  const said = typeof detail === "string" && detail !== "" ? detail : job.status_description;
  const byStatus = isTimeout ? "job_timed_out" : "job_failed";
  const ofBroker = type === "runner.lost" ? "process_lost" : byStatus; // of a broker that wrote no codes yet
  const code = isFaultCode(told) ? told : ofBroker;
  const more = { retryable: retryable !== false, runner_job_id: job.id };
  const permission = code === "job_failed" ? missingPermission(said) : undefined;
  if (permission !== undefined) {
    const facts = permission === "" ? {} : { permission };
    return { ...faultOf("permission_missing", "A permission is missing", said, more), facts };
  }
  return faultOf(
    code,
    typeof title === "string" ? title : "The job did not finish",
    said || `its job ended as ${job.status}`,
    more,
  );
}
