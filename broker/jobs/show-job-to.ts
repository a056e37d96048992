import type {
  RunnerJobExecution,
  RunnerJobExecutionResult,
} from "../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { jobErrorOf } from "../status/composite-error.ts";
import type { Actor } from "../tokens/actor.ts";

type Asking = Pick<Actor, "runnerId" | "roleType">;

/** Runners get what they always got, as agents of other versions and those of others read it so: null for what is not there, too. */
export const isRunner = ({ runnerId, roleType }: Asking): boolean =>
  runnerId !== null || roleType === "runner";

/** A job as this caller gets it: accounts get its error in the shape of all errors, and nothing for what is not there. */
export function showJobTo(actor: Asking): (job: RunnerJob) => RunnerJob {
  if (isRunner(actor)) return (job) => job;
  const show = showExecutionTo(actor);
  return ({ composite_error: error, install_role_usage: usage, waiting, executions, ...job }) => ({
    ...job,
    ...(error != null && { composite_error: jobErrorOf(error, job.id) }),
    ...(waiting != null && { waiting }),
    ...(usage != null && { install_role_usage: usage }),
    ...(executions !== undefined && { executions: executions.map(show) }),
  });
}

/** An execution as this caller gets it. */
export function showExecutionTo(
  actor: Asking,
): (execution: RunnerJobExecution) => RunnerJobExecution {
  if (isRunner(actor)) return (execution) => execution;
  const show = showResultTo(actor);
  return ({ progress, result, outputs, ...execution }) => ({
    ...execution,
    ...(progress != null && { progress }),
    ...(result != null && { result: show(result) }),
    ...(outputs != null && { outputs }),
  });
}

/** A result as this caller gets it. */
export function showResultTo(
  actor: Asking,
): (result: RunnerJobExecutionResult) => RunnerJobExecutionResult {
  if (isRunner(actor)) return (result) => result;
  return ({ composite_error: error, ...result }) => ({
    ...result,
    ...(error != null && { composite_error: error }),
  });
}
