import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { jobErrorOf } from "../status/composite-error.ts";
import type { Actor } from "../tokens/actor.ts";

/**
 * A job as this caller gets it: accounts get its error in the shape of all errors, or none; runners get what they always got, as agents of
 * other versions and those of others read it so.
 */
export function showJobTo({
  runnerId,
  roleType,
}: Pick<Actor, "runnerId" | "roleType">): (job: RunnerJob) => RunnerJob {
  if (runnerId !== null || roleType === "runner") return (job) => job;
  return ({ composite_error: error, ...job }) => ({
    ...job,
    ...(error != null && { composite_error: jobErrorOf(error, job.id) }),
  });
}
