import { problem } from "../../shared/problem.ts";
import { findExecution } from "../executions/queries.ts";
import { requireJob } from "../jobs/read-job.ts";
import { findPlanFacts, type PlanFactsParts } from "../plan-scope/find-plan-facts.ts";
import { requireOwnState } from "../plan-scope/require-own-state.ts";
import type { Actor } from "../tokens/actor.ts";
import { hasEndedBefore } from "./rescued-queries.ts";
import { requireWorkspace } from "./show-workspace.ts";

/** The job whose state is rescued: null when a person names none. */
type Rescuing = { readonly jobId: string | null; readonly isPulumi: boolean };
type Access = { readonly workspaceId: string; readonly jobId: string | undefined };

/** How long a host may keep a state that it could not deliver. */
const longestDays = 30;

/**
 * The job whose state is rescued, and whether it is one of Pulumi's. 404 for an unknown workspace and, for a runner, one that the
 * plan of its own job does not name, or whose job ended longer ago than a host keeps such a state.
 */
export async function requireRescueAccess(
  broker: PlanFactsParts,
  { orgId, runnerId, executionId }: Actor,
  { workspaceId, jobId }: Access,
): Promise<Rescuing> {
  const { db } = broker;
  await requireWorkspace(db, orgId, workspaceId);
  if (jobId === undefined) {
    if (runnerId === null) return { jobId: null, isPulumi: false };
    const detail = "Name the job that the state belongs to.";
    throw problem.invalid([{ pointer: "?job_id", code: "required", detail }]);
  }
  const job = await requireJob(db, orgId, jobId, runnerId);
  if (executionId !== null) {
    const execution = await findExecution(db, orgId, executionId);
    if (execution?.runner_job_id !== jobId) throw problem.notFound("job");
  }
  const facts = await findPlanFacts(broker, orgId, job);
  const isPulumi = facts?.pulumiIds.includes(workspaceId) === true;
  if (runnerId === null) return { jobId, isPulumi };
  const isNamed = facts?.ids.includes(workspaceId) === true;
  if (!isNamed || (await hasEndedBefore(db, orgId, { jobId, days: longestDays }))) {
    throw problem.notFound("workspace");
  }
  await requireOwnState(db, orgId, { runnerId, names: [workspaceId] });
  return { jobId, isPulumi };
}
